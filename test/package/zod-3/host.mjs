// A host with zod 3, which must work beside zod 4.
import { z } from "zod";
import { smoke } from "./smoke.mjs";

const [baseUrl, apiKey] = process.argv.slice(2);
const form = z.object({ email: z.string().email() });
if (form.safeParse({ email: "nobody" }).error?.issues[0]?.message !== "Invalid email") throw new Error("not zod 3");
const steps = await smoke({ baseUrl, apiKey });
if (form.safeParse({ email: "nobody" }).error?.issues[0]?.message !== "Invalid email") throw new Error("zod 3 changed");
console.log(JSON.stringify({ steps }));
