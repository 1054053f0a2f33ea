// @ts-expect-error the smoke suite is plain JavaScript
import { smoke } from "#smoke";
import { client } from "./main.js";

const [baseUrl, apiKey] = (globalThis as unknown as { process: { argv: string[] } }).process.argv.slice(2);
const steps: string[] = await smoke({ baseUrl, apiKey });
console.log(JSON.stringify({ baseUrl: client.baseUrl, steps }));
