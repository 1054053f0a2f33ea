// A host without zod: the package brings its own copy, in any folder where npm puts it.
import { existsSync, readFileSync } from "node:fs";
import { smoke } from "./smoke.mjs";

const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
if (Object.keys(dependencies).join() !== "education-admin-sdk") throw new Error("this host has other dependencies");
const at = ["node_modules/zod", "node_modules/education-admin-sdk/node_modules/zod"].find((path) => existsSync(path));
const { version } = JSON.parse(readFileSync(`${at}/package.json`, "utf8"));
const [baseUrl, apiKey] = process.argv.slice(2);
console.log(JSON.stringify({ version: `its own zod ${version}`, steps: await smoke({ baseUrl, apiKey }) }));
