// Prints the next step for the release workflow: `changesets=<number>` and `version=<the version to publish, or
// nothing>`.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { ROOT } from "../lib/generated.ts";
import { changesets } from "./changelog.ts";

const { name, version } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")) as { name: string; version: string };
console.log(`changesets=${changesets().length}`);
console.log(`version=${isPublished() ? "" : version}`);

function isPublished(): boolean {
  try {
    const found = execFileSync("npm", ["view", `${name}@${version}`, "version"], {
      encoding: "utf8",
      stdio: "pipe",
      shell: process.platform === "win32",
    });
    return found.trim() === version;
  } catch (error) {
    // E404 means that nothing was released yet. Any other error, such as a missing network, must be reported.
    if (String((error as { stderr?: unknown }).stderr).includes("E404")) return false;
    throw error;
  }
}
