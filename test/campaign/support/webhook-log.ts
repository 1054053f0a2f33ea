import { closeSync, openSync, readSync, writeSync } from "node:fs";

/**
 * What happened to a delivery: its listener began, its effect took place, it was left out, its inbox knows that it is done;
 * or to a process: it was killed.
 */
export type Step = "began" | "effect" | "dropped" | "done" | "killed";

/** One line of the log. */
export interface LogLine {
  readonly step: Step;
  readonly delivery: string;
  readonly record: number;
  readonly version: number;
  /** The process, by the number that the campaign gave it. */
  readonly process: number;
}

/**
 * A file that several processes append to: every line is one write, so the order of lines is the order in which they
 * happened, and a process that is killed loses none.
 */
export function openLog(path: string): (line: LogLine) => void {
  const file = openSync(path, "a");
  return ({ step, delivery, record, version, process }) => {
    writeSync(file, `${step} ${delivery} ${record} ${version} ${process}\n`);
  };
}

/** Reads what was added to the log since the last time. */
export function tail(path: string): () => LogLine[] {
  let position = 0;
  let rest = "";
  const buffer = Buffer.alloc(1 << 20);
  return () => {
    const file = openSync(path, "a+");
    try {
      for (;;) {
        const length = readSync(file, buffer, 0, buffer.length, position);
        if (length === 0) break;
        position += length;
        rest += buffer.toString("latin1", 0, length);
      }
    } finally {
      closeSync(file);
    }
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    return lines.map((line) => {
      const [step, delivery = "", record, version, process] = line.split(" ");
      return {
        step: step as Step,
        delivery,
        record: Number(record),
        version: Number(version),
        process: Number(process),
      };
    });
  };
}
