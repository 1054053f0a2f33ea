import { smoke } from "./smoke.mjs";

const [baseUrl, apiKey] = process.argv.slice(2);
console.log(JSON.stringify({ version: process.version, steps: await smoke({ baseUrl, apiKey }) }));
