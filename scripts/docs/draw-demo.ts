// Draws the picture in README.md from a real run of the demo: `npm run docs:demo`, after a change to what the demo prints.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { ROOT } from "../lib/generated.ts";
import { drawDemo, PICTURE } from "./demo-picture.ts";

const output = execFileSync("npm", ["run", "--silent", "demo"], { cwd: ROOT, encoding: "utf8" });
writeFileSync(ROOT + PICTURE, drawDemo(output));
console.log(`${PICTURE}: drawn`);
