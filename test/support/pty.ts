import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Terminal } from "@xterm/headless";
import { pathOf } from "./tools.js";

/** A step of a test at a terminal: wait for a text, type, or resize. */
export type Step = { wait: string } | { send: string } | { resize: readonly [columns: number, rows: number] };

/** The state of a terminal after its program has ended. */
export interface Ended {
  /** The visible text, without empty lines at the end. */
  readonly screen: string;
  /** The whole output, including the sequences that move the cursor. */
  readonly written: string;
  /** The exit status; if negative, the number of the signal that ended the program. */
  readonly status: number;
  readonly isCursorHidden: boolean;
}

/** Runs a program in a terminal of a given size until it ends. Needs Python: `needs("python")`. */
export async function inTerminal(
  command: readonly string[],
  steps: readonly Step[],
  {
    columns = 80,
    rows = 24,
    env = {},
    cwd = ".",
  }: { columns?: number; rows?: number; env?: NodeJS.ProcessEnv; cwd?: string },
): Promise<Ended> {
  const runner = spawn(pathOf("python"), [fileURLToPath(new URL("pty-runner.py", import.meta.url))], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const { CI: _, NO_COLOR: __, ...inherited } = process.env;
  runner.stdin.end(
    JSON.stringify({ command, steps, columns, rows, cwd, env: { ...inherited, TERM: "xterm", ...env } }),
  );
  const lines = (await text(runner.stdout)).trimEnd().split("\n");
  const terminal = new Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 1_000 });
  let written = "";
  let status = Number.NaN;
  for (const line of lines) {
    const event = JSON.parse(line) as { out?: string; resize?: [number, number]; status?: number; missed?: Step[] };
    if (event.resize) terminal.resize(...event.resize);
    if (event.out !== undefined) {
      const bytes = Buffer.from(event.out, "base64");
      written += bytes.toString();
      await new Promise<void>((resolve) => terminal.write(bytes, resolve));
    }
    if (event.status !== undefined) status = event.status;
    if (event.missed && event.missed.length > 0) {
      throw new Error(`The terminal never showed ${JSON.stringify(event.missed[0])}:\n${written}`);
    }
  }
  const { active } = terminal.buffer;
  const screen = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? "");
  return {
    screen: screen.join("\n").trimEnd(),
    written,
    status,
    isCursorHidden: written.lastIndexOf("\x1b[?25l") > written.lastIndexOf("\x1b[?25h"),
  };
}
