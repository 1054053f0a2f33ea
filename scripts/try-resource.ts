// Checks "Add a resource" in CONTRIBUTING: adds a resource to a copy of the project, edits by hand only the files that
// the section names, and runs the checks.
// node scripts/try-resource.ts [--keep]
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ROOT } from "./lib/generated.ts";

const MOST_BY_HAND = 4;

const copy = mkdtempSync(join(tmpdir(), "try-resource-"));
const byHand = new Set<string>();

function main(): void {
  copyProject();
  addToContract();
  addByHand();
  run("npm", "run", "--silent", "generate");
  run("npx", "biome", "check", "--write", "src");
  run("npx", "biome", "check");
  run("npm", "run", "--silent", "types");
  const { changed, generated } = changes();
  const undocumented = changed.filter((file) => !byHand.has(file) && !generated(file));
  console.log(`By hand (${byHand.size}): ${[...byHand].join(", ")}`);
  if (undocumented.length > 0) throw new Error(`also changed: ${undocumented.join(", ")}`);
  if (byHand.size > MOST_BY_HAND) throw new Error(`more than ${MOST_BY_HAND} files by hand`);
  run("npx", "vitest", "run", "--project", "unit", "--reporter=dot", "--silent");
}

function copyProject(): void {
  for (const file of lines(ROOT, "git", "ls-files", "--cached", "--others", "--exclude-standard")) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(`${ROOT}${file}`, join(copy, file));
  }
  // The examples take their types from a build, which need not include the new resource.
  for (const folder of ["node_modules", "dist"]) symlinkSync(ROOT + folder, join(copy, folder));
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x", ...args], { cwd: copy });
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--no-verify", "--message=start");
}

// Follows a description with one more resource: a copy of material groups under another name.
function addToContract(): void {
  const folder = mkdtempSync(join(tmpdir(), "try-resource-contract-"));
  for (const name of ["operations", "records"]) {
    const rows = readFileSync(join(copy, `test/contract/data/${name}.json`), "utf8").split("\n");
    const mine = rows.filter((row) => /"materialGroups\.|"MaterialGroup":/.test(row));
    const added = rows.flatMap((row) => (mine.includes(row) ? [row.replace(/,?$/, ","), asRooms(row)] : [row]));
    writeFileSync(join(folder, `${name}.json`), added.join("\n"));
  }
  // This copy of the stored data still has the facts that the service's contract lacks.
  const known = join(copy, "openapi/known-differences.json");
  const before = readFileSync(known, "utf8");
  writeFileSync(known, '{ "contract": {}, "documents": {} }\n');
  run("node", "scripts/follow/follow.ts", folder);
  writeFileSync(known, before);
  rmSync(folder, { recursive: true });
}

function addByHand(): void {
  write(
    "src/resources/planning/rooms.ts",
    asRooms(readFileSync(`${ROOT}src/resources/planning/material-groups.ts`, "utf8")),
  );
  const groups = 'import { MaterialGroups } from "../resources/planning/material-groups.js";\n';
  edit("src/clients/provider.ts", [
    [groups, `${groups}import { Rooms } from "../resources/planning/rooms.js";\n`],
    [
      "  /** Methods of payment. */",
      "  /** Rooms of the provider. */\n  readonly rooms = new Rooms(transportIn(this));\n  /** Methods of payment. */",
    ],
  ]);
  edit("src/sandbox/data/store.ts", [
    ["  readonly meetings: Collection", "  readonly rooms: Collection<sdk.Room>;\n  readonly meetings: Collection"],
  ]);
  const columns = "{ name: ({ id }) => String(id), ...timestamps(4) }";
  edit("src/sandbox/planning/seed.ts", [
    ["    meetings: {\n", `    rooms: { count: 4, columns: ${columns} },\n    meetings: {\n`],
  ]);
}

function asRooms(text: string): string {
  return (
    text
      // The description that is followed shows all operations.
      .replaceAll(/publicOnly: true,?/g, "")
      .replaceAll("materialGroup", "room")
      .replaceAll("MaterialGroup", "Room")
      .replaceAll("material_group", "room")
      .replaceAll("material group", "room")
      .replaceAll("Groups of materials", "Rooms of the provider")
      .replaceAll("A group of materials", "A room of the provider")
  );
}

function write(file: string, text: string): void {
  byHand.add(file);
  writeFileSync(join(copy, file), text);
}

function edit(file: string, replacements: readonly (readonly [string, string])[]): void {
  let text = readFileSync(join(copy, file), "utf8");
  for (const [found, put] of replacements) {
    if (!text.includes(found)) throw new Error(`${file} has no ${JSON.stringify(found)} anymore`);
    text = text.replace(found, () => put);
  }
  write(file, text);
}

function changes(): { changed: string[]; generated: (file: string) => boolean } {
  const status = lines(copy, "git", "status", "--porcelain", "--untracked-files=all");
  const isGenerated = (file: string) =>
    /^(src\/generated|test\/contract\/data|openapi)\/|^(api\/records\.md|docs\/operations\.md|llms-full\.txt|\.changeset\/the-service-changed\.md)$/.test(
      file,
    );
  return { changed: status.map((line) => line.slice(3)), generated: isGenerated };
}

function run(command: string, ...args: string[]): void {
  const started = performance.now();
  execFileSync(command, args, { cwd: copy, stdio: ["ignore", "inherit", "inherit"] });
  console.log(`${command} ${args.join(" ")}: ${Math.round((performance.now() - started) / 1_000)} s`);
}

function lines(cwd: string, command: string, ...args: string[]): string[] {
  return execFileSync(command, args, { cwd, encoding: "utf8", maxBuffer: 1e8 }).split("\n").filter(Boolean);
}

try {
  main();
} finally {
  if (process.argv.includes("--keep")) console.log(`The copy is ${copy}`);
  else rmSync(copy, { recursive: true });
}
