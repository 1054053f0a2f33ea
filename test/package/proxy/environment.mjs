// Only the environment configures the proxy: NODE_USE_ENV_PROXY and HTTP_PROXY.
import { smoke } from "./smoke.mjs";

const [baseUrl, apiKey] = process.argv.slice(2);
console.log(JSON.stringify({ version: process.version, steps: await smoke({ baseUrl, apiKey }) }));
