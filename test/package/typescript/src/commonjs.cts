// CommonJS output: TypeScript 5.8 and later accept that Node's require() loads ES modules.
import { type Account, MainClient } from "education-admin-sdk";
import { accountSchema } from "education-admin-sdk/schemas";

export const client: MainClient = new MainClient({ baseUrl: "https://school.example", apiKey: "key" });
export const account: Promise<Account | null> = Promise.resolve(null);
// @ts-expect-error an id is a number
export const id: Promise<string | undefined> = account.then((found) => found?.id);
if (typeof accountSchema.safeParse !== "function" || client.baseUrl !== "https://school.example") throw new Error();
