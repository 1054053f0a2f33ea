import { pathToFileURL } from "node:url";

const [file, baseUrl, apiKey] = process.argv.slice(2);
const bundle = await import(pathToFileURL(file).href);
// The exports of a minified CommonJS file are the default export of its import.
const { GET } = bundle.default ?? bundle;
const response = await GET(new Request(`http://localhost/smoke?${new URLSearchParams({ baseUrl, apiKey })}`));
console.log(await response.text());
