import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { inTerminal, type Step } from "../support/pty.js";
import { needs, pathOf } from "../support/tools.js";

let env: NodeJS.ProcessEnv;
let cwd: string;
beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), "completion-"));
  symlinkSync(resolve("dist/cli/cli.js"), join(folder, "education-admin-sdk"));
  cwd = join(folder, "here");
  mkdirSync(cwd);
  writeFileSync(join(cwd, "students.csv"), "");
  env = { PATH: [folder, dirname(process.execPath), process.env.PATH].join(delimiter), HOME: folder };
  return () => rmSync(folder, { recursive: true });
});

/** The text typed before Tab, and the resulting line. */
const LINES: readonly (readonly [typed: string, completed: string])[] = [
  ["mir", "mirror"],
  ["list acc", "list accounts"],
  ["list enrollments --stat", "list enrollments --status"],
  ["list enrollments --status active,comp", "list enrollments --status active,completed"],
  ["list enrollments --status=comp", "list enrollments --status=completed"],
  ["list labels --model-type Catalog::", "list labels --model-type Catalog::Product"],
  ["export invoices --out stu", "export invoices --out students.csv"],
  ["bulk plan users stu", "bulk plan users students.csv"],
  ["webhooks trig", "webhooks trigger"],
  ["completion fi", "completion fish"],
];

/** Types each line and Tab, waits for the shell's addition, and clears the line again. */
const typing: readonly Step[] = [
  ...LINES.flatMap(([typed, completed]) => [
    { send: `education-admin-sdk ${typed}\t` },
    { wait: completed.slice(typed.length) },
    { send: "\x15" },
  ]),
  { send: "exit\r" },
];

test("Bash completes commands, lists, filters, their values and files", needs("python", "bash"), async () => {
  const ready = "PS1='RE''ADY> '; source <(education-admin-sdk completion bash)\r";
  const steps = [{ send: ready }, { wait: "READY> " }, ...typing];
  const bash = await inTerminal([pathOf("bash"), "--norc", "--noprofile", "-i"], steps, { env, cwd, columns: 120 });
  expect(bash.status).toBe(0);
  for (const [, completed] of LINES) expect(bash.written).toContain(`education-admin-sdk ${completed}`);
});

test("Zsh completes commands, lists, filters, their values and files", needs("python", "zsh"), async () => {
  const ready = "PS1='RE''ADY> '; autoload -U compinit; compinit -D; source <(education-admin-sdk completion zsh)\r";
  const steps = [{ send: ready }, { wait: "READY> " }, ...typing];
  const zsh = await inTerminal([pathOf("zsh"), "-f", "-i"], steps, { env, cwd, columns: 120 });
  expect(zsh.status).toBe(0);
});

test("Fish completes commands, lists, filters, their values and files", needs("fish"), () => {
  const asked = LINES.map(([typed]) => `complete -C "education-admin-sdk ${typed}"; echo next`).join("; ");
  const script = `education-admin-sdk completion fish | source; ${asked}`;
  const output = execFileSync(pathOf("fish"), ["--no-config", "-c", script], { env, cwd, encoding: "utf8" });
  const found = output.split("next\n").slice(0, -1);
  // Fish adds a description to each file.
  expect(found.map((lines) => lines.split("\t")[0]?.trim())).toEqual(LINES.map(([, line]) => line.split(" ").at(-1)));
});
