// Node, Bun and Deno run this file unchanged.
import { smoke } from "./smoke.mjs";

const [baseUrl, apiKey] = process.argv.slice(2);
const steps = await smoke({ baseUrl, apiKey });
const version = globalThis.Deno?.version.deno ?? globalThis.Bun?.version ?? process.versions.node;
console.log(JSON.stringify({ version, steps }));
