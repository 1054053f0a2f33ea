// Breaks the sources on purpose, one line at a time, and prints for each break whether a unit test noticed it. The breaks
// cover all folders of src. They are kept as data, so that the same ones can be tried before and after a change of tests
// or sources. A break whose line no longer exists, or exists twice, counts as gone.
//   npm run mutate:breaks                            tries all breaks; takes about an hour
//   npm run mutate:breaks -- --share 0.05            tries the 5% of them that the commit draws, or DRAW
//   npm run mutate:breaks -- --at 45f63c0b …         uses the sources and tests of that commit
//   npm run mutate:breaks -- --set security          breaks the lines that keep data and access from the wrong people
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { drawCases } from "../../test/support/amount.ts";
import { draw } from "../../test/support/draw.ts";
import { ROOT } from "../lib/generated.ts";

interface Break {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** Tests to run instead of those of the file's folder, which take long. */
  readonly tests?: readonly string[];
}

/** Tests to run for a folder of src that has no tests of its own, or more tests than these. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  clients: ["test/core", "test/resources"],
  core: ["test/core", "test/lookups"],
  models: ["test/contract", "test/resources"],
  resources: ["test/contract", "test/resources", "test/lookups"],
  school: ["test/school", "test/cli/types.test.ts"],
};

const { values } = parseArgs({
  options: {
    at: { type: "string", default: "HEAD" },
    set: { type: "string", default: "breaks" },
    share: { type: "string", default: "1" },
  },
});

const all = readFileSync(new URL(`${values.set}.ndjson`, import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Break);
const drawn = drawCases(all, Math.ceil(all.length * Number(values.share)));
/** Tests that pass without a break. */
const sound = new Set<string>();
const folder = mkdtempSync(join(tmpdir(), "breaks-"));
const copy = join(folder, "project");
git("worktree", "add", "--detach", copy, values.at);
try {
  symlinkSync(`${ROOT}node_modules`, join(copy, "node_modules"));
  const count = { noticed: 0, hung: 0, unnoticed: 0, gone: 0 };
  for (const one of drawn) {
    const found = tryBreak(one);
    count[found]++;
    console.log(`${found}: ${one.file}: ${one.to}`);
  }
  console.log(JSON.stringify({ at: values.at, share: values.share, draw: draw(), ...count }));
} finally {
  git("worktree", "remove", "--force", copy);
  rmSync(folder, { recursive: true, force: true });
}

function tryBreak({ file, from, to, tests = testsOf(file) }: Break): "noticed" | "hung" | "unnoticed" | "gone" {
  const path = join(copy, file);
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  if (text.split(from).length !== 2) return "gone";
  const judges = tests.join(" ");
  // Tests that fail without a break prove nothing.
  if (!sound.has(judges) && run(tests) !== "unnoticed") throw new Error(`${judges}: fails without a break`);
  sound.add(judges);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  try {
    const near = nearest(basename(file, ".ts"), tests);
    // Possibly, none of these files is a unit test.
    const found = near.length > 0 ? run(near, "--passWithNoTests") : "unnoticed";
    return found === "unnoticed" ? run(tests) : found;
  } finally {
    writeFileSync(path, text);
  }
}

/**
 * The tests whose names contain a source file's name, or that import it: they notice most breaks in a tenth of the
 * time.
 */
function nearest(name: string, tests: readonly string[]): readonly string[] {
  const files = tests.flatMap((test) =>
    test.endsWith(".ts") ? [test] : globSync(`${test}/**/*.test.ts`, { cwd: copy }),
  );
  return files.filter((file) => file.includes(name) || readFileSync(join(copy, file), "utf8").includes(`/${name}.js"`));
}

function testsOf(file: string): readonly string[] {
  const room = file.split("/")[1] ?? "";
  return TESTS[room] ?? [`test/${room}`];
}

function run(tests: readonly string[], ...options: readonly string[]): "noticed" | "hung" | "unnoticed" {
  // Runs every case of each test, so that the result does not depend on the cases that a commit draws.
  const env = { ...process.env, DRAW: "all" };
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--project", "unit", "--bail", "1", ...options];
  const { status } = spawnSync(process.execPath, [...vitest, ...tests], { cwd: copy, env, timeout: 900_000 });
  return status === null ? "hung" : status === 0 ? "unnoticed" : "noticed";
}

function git(...args: readonly string[]): void {
  const { status, stderr } = spawnSync("git", args, { cwd: ROOT, encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
}
