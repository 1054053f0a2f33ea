// Mutation testing: changes the code in one place at a time and sees whether a unit test notices.
//   npm run mutate                                   src/core, 90 % must be noticed
//   npm run mutate -- around                         src/webhooks and src/sandbox, 80 %
//   npm run mutate -- core src/core/redact.ts        some files, or lines of one: src/core/redact.ts:10-40
// Results are kept in .artefacts and only what changed is tried again; `--force` after the files tries all of it.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { force: { type: "boolean" } } });
const [part = "core", ...files] = positionals;
if (part !== "core" && part !== "around") throw new Error(`the parts are core and around, not ${part}`);

const stryker = fileURLToPath(new URL("../../node_modules/.bin/stryker", import.meta.url));
const args = [stryker, "run", "scripts/mutate/stryker.config.mjs"];
if (files.length > 0) args.push("--mutate", files.join(","));
if (values.force) args.push("--force");
const { status } = spawnSync(process.execPath, args, { stdio: "inherit", env: { ...process.env, MUTATE_PART: part } });
process.exitCode = status ?? 1;
