import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { bumpOf, compare } from "../follow/compare.ts";
import { ownDocuments } from "../follow/contract.ts";
import { ROOT } from "../lib/generated.ts";

const PARTS = ["patch", "minor", "major"] as const;
type Bump = (typeof PARTS)[number];
type Read = (path: string) => string;

/**
 * Compares the service's description and the exported names with those of the release before. Describes the problem if
 * the version rises by less than the changes require; null if it rises enough, or if this is the first release.
 * @param readAt reads a file of a tag, or of the working tree for null. @throws Error if the tag does not exist.
 */
export function bumpProblem(
  changelog: string,
  version: string,
  reports: readonly string[],
  readAt = readFrom,
): string | null {
  const [, before] = [...changelog.matchAll(/^## (\d+\.\d+\.\d+\S*)/gm)].map(([, one = ""]) => one);
  if (before === undefined) return null;
  const [old, now] = [readAt(`v${before}`), readAt(null)];
  const facts = compare(ownDocuments(old), ownDocuments(now));
  const gone = reports.flatMap((path) => {
    const kept = new Set(namesIn(now, path));
    return namesIn(old, path)
      .filter((name) => !kept.has(name))
      .map((name) => `${path} no longer has ${name}`);
  });
  const needed: Bump | null = gone.length > 0 ? "major" : bumpOf(facts);
  const given = bumpBetween(before, version);
  if (needed === null || PARTS.indexOf(given) >= PARTS.indexOf(needed)) return null;
  const reasons = [...gone, ...facts.filter((fact) => bumpOf([fact]) === needed).map(({ words }) => words)];
  return `${version} must be a ${needed} release after ${before}: ${reasons.slice(0, 10).join("; ")}`;
}

function bumpBetween(before: string, version: string): Bump {
  const [old, now] = [before, version].map((one) => one.split(/[.-]/));
  return old?.[0] !== now?.[0] ? "major" : old?.[1] !== now?.[1] ? "minor" : "patch";
}

function namesIn(read: Read, path: string): string[] {
  const exported = /^export (?:declare )?(?:abstract )?(?:class|function|const|interface|type) (\w+)/gm;
  return [...read(path).matchAll(exported)].map(([, name = ""]) => name);
}

function readFrom(tag: string | null): Read {
  if (tag === null) return (path) => readFileSync(`${ROOT}${path}`, "utf8");
  return (path) => execFileSync("git", ["show", `${tag}:${path}`], { cwd: ROOT, encoding: "utf8", maxBuffer: 2 ** 26 });
}
