import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A command that writes a file. */
export interface Writer {
  readonly name: string;
  /** The arguments of the command. @param at gives the path of a file in the folder of {@link inputs}. */
  readonly args: (path: string, at: (name: string) => string) => readonly string[];
  /** The previous content of the file: its text, or the arguments of another command that writes it. */
  readonly before: string | ((path: string, at: (name: string) => string) => readonly string[]);
  /** True for a plan, which is different each time it is written. */
  readonly isPlan?: true;
  /** The permissions of a new file if they are not those of personal data. */
  readonly mode?: number;
}

const plan = (rows: string, path: string, at: (name: string) => string) =>
  ["bulk", "plan", "users", at(rows), "--key", "email", "--to", path] as const;
const otherPlan: Writer["before"] = (path, at) => plan("other.csv", path, at);

/** Every command that writes whole files or files that grow. */
export const WRITERS: readonly Writer[] = [
  { name: "export", args: (path) => ["export", "accounts", "--out", path, "--quiet"], before: "old" },
  {
    name: "export, a workbook",
    args: (path) => ["export", "accounts", "--format", "xlsx", "--out", path, "--quiet"],
    before: "old",
  },
  { name: "get", args: (path) => ["get", "accounts", "1", "--out", path], before: "old" },
  {
    name: "twin",
    args: (path) => ["twin", "--to", path],
    before: (path) => ["twin", "--to", path, "--without", "names"],
  },
  { name: "types", args: (path) => ["types", "--force", "--out", path], before: "old", mode: 0o644 },
  { name: "bulk plan", args: (path, at) => plan("rows.csv", path, at), before: otherPlan, isPlan: true },
  {
    name: "bulk plan --report",
    args: (path, at) => [...plan("rows.csv", `${path}.plan`, at), "--report", path],
    before: "old",
  },
  {
    name: "bulk run",
    args: (path, at) => ["bulk", "run", ...plan("rows.csv", path, at).slice(2), "--yes"],
    before: otherPlan,
    isPlan: true,
  },
  { name: "bulk report", args: (path, at) => ["bulk", "report", at("kept.plan"), "--to", path], before: "old" },
  { name: "bulk show --html", args: (path, at) => ["bulk", "show", at("kept.plan"), "--html", path], before: "old" },
  {
    name: "bulk undo",
    args: (path, at) => ["bulk", "undo", at("kept.plan"), "--to", path],
    before: otherPlan,
    isPlan: true,
  },
];

/**
 * Writes the files that the commands read. @returns the path of such a file, and the command that makes the last of
 * them, a plan with nothing to send.
 */
export function inputs(folder: string): { at(name: string): string; readonly kept: readonly string[] } {
  const at = (name: string) => join(folder, "inputs", name);
  mkdirSync(join(folder, "inputs"));
  const head = "email,first_name,last_name\n";
  writeFileSync(at("rows.csv"), `${head}not an address,New,Person\n`);
  writeFileSync(at("other.csv"), `${head}nor is this,New,Person\n`.repeat(2).replace(`\n${head}`, "\n"));
  return { at, kept: plan("rows.csv", at("kept.plan"), at) };
}

/** True if a file holds all that its command writes. @param whole the file that an undisturbed command wrote. */
export function isWhole({ isPlan }: Writer, text: string, whole: string): boolean {
  if (!isPlan) return text === whole;
  const [last = ""] = text.trimEnd().split("\n").slice(-1);
  return text.endsWith("\n") && last.startsWith('{"end":');
}
