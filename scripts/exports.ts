// Writes package.json's exports from entries.json: node scripts/exports.ts [--check]
import { packageJson } from "./lib/entries.ts";
import { bringInStep } from "./lib/generated.ts";

bringInStep(packageJson());
