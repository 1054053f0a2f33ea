// A host with another copy of zod 4, used before and after the client: the host's configuration must not change.
import * as z from "zod";
import { smoke } from "./smoke.mjs";

const [baseUrl, apiKey] = process.argv.slice(2);
z.config({ customError: () => "the host's own words" });
const form = z.object({ email: z.email() });
// Copied after the host has made its first schema, because zod then writes defaults into the configuration.
const before = JSON.stringify(z.config()) + z.config().customError;
const words = () => form.safeParse({ email: "nobody" }).error?.issues[0]?.message;
if (words() !== "the host's own words") throw new Error(`the host's zod says ${words()}`);
const steps = await smoke({ baseUrl, apiKey });
if (JSON.stringify(z.config()) + z.config().customError !== before) throw new Error("the host's configuration changed");
if (words() !== "the host's own words") throw new Error(`the host's zod says ${words()} afterwards`);
console.log(JSON.stringify({ steps }));
