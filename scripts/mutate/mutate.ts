// Mutation testing: changes the code in one position at a time and checks whether a unit test notices.
//   npm run mutate                                   src/core
//   npm run mutate -- mirror                         another part; parts.ts lists the parts and how much must be noticed
//   npm run mutate -- core src/core/redact.ts        some files, or lines of one: src/core/redact.ts:10-40
//   npm run mutate -- core src/core/json.ts --tests test/core/bad-input.test.ts,…   with some tests only, which is faster
//   npm run mutate -- core --share 0.1 --seed 1      a tenth of all functions, chosen at random; all of them take hours
// Results are kept in .artefacts, except those of a share. Only changed code is tried again; `--force` tries everything.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { reportMissing } from "../../test/support/tools.ts";
import { install } from "../lib/install.ts";
import { PARTS } from "./parts.ts";
import { sampleOf } from "./sample.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    force: { type: "boolean" },
    tests: { type: "string" },
    share: { type: "string" },
    seed: { type: "string", default: "1" },
  },
});
const [part = "core", ...named] = positionals;
const chosen = PARTS[part];
if (!chosen) throw new Error(`the parts are ${Object.keys(PARTS).join(", ")}, not ${part}`);
const missing = chosen.needs && reportMissing(chosen.needs);
if (missing) throw new Error(`the tests of ${part} cannot run: ${missing}`);
const files = values.share === undefined ? named : sampleOf(chosen.mutate, Number(values.share), values.seed);

const here = fileURLToPath(new URL("./", import.meta.url));
install(here);
const args = [`${here}node_modules/.bin/stryker`, "run", "scripts/mutate/stryker.config.mjs"];
if (files.length > 0) args.push("--mutate", files.join(","));
if (values.force) args.push("--force");
// Replaces Stryker's --testFiles, which activates a mutant only after the modules are loaded, so that no test could
// notice a mutant in module code.
const env = { ...process.env, MUTATE_PART: part, MUTATE_TESTS: values.tests ?? "", MUTATE_SHARE: values.share ?? "" };
const { status } = spawnSync(process.execPath, args, { stdio: "inherit", env });
process.exitCode = status ?? 1;
