// Adds the date to the newest section of CHANGELOG.md, after `changeset version`: the last step of `npm run
// release:version`.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { ROOT } from "../lib/generated.ts";

/** Changesets that are not yet part of a version. */
export const changesets = (): string[] => readdirSync(`${ROOT}.changeset`).filter((file) => file.endsWith(".md"));

/** Adds a date to the section of a version; an existing date is kept. */
export function addDate(changelog: string, version: string, day: string): string {
  return changelog.replace(`\n## ${version}\n`, `\n## ${version} (${day})\n`);
}

/** Describes the problem with the changelog for this version; null if there is none. */
export function changelogProblem(changelog: string, version: string): string | null {
  const headings = [...changelog.matchAll(/^## (.*)$/gm)].map(([, heading = ""]) => heading);
  const undated = headings.filter((heading) => !/^\d+\.\d+\.\d+\S* \(\d{4}-\d\d-\d\d\)$/.test(heading));
  if (undated.length > 0) return `CHANGELOG.md has sections without a version and a date: ${undated.join(", ")}`;
  return headings[0]?.startsWith(`${version} `) ? null : `CHANGELOG.md does not begin with ${version}`;
}

if (import.meta.main) {
  const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")) as { version: string };
  const file = `${ROOT}CHANGELOG.md`;
  writeFileSync(file, addDate(readFileSync(file, "utf8"), version, new Date().toISOString().slice(0, 10)));
}
