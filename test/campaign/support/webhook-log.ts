import { closeSync, openSync, readSync, writeSync } from "node:fs";

/**
 * A step of a delivery: its listener began, its effect took place, it was dropped, or its inbox recorded it as done.
 * `killed` is a step of a process instead.
 */
export type Step = "began" | "effect" | "dropped" | "done" | "killed";

export interface LogLine {
  readonly step: Step;
  readonly delivery: string;
  readonly record: number;
  readonly version: number;
  /** The number that the campaign gave to the process. */
  readonly process: number;
}

/**
 * Opens a file to which several processes append. Each line is a single write, so the lines are in the order in which
 * the steps happened, and a killed process loses none.
 */
export function openLog(path: string): (line: LogLine) => void {
  const file = openSync(path, "a");
  return ({ step, delivery, record, version, process }) => {
    writeSync(file, `${step} ${delivery} ${record} ${version} ${process}\n`);
  };
}

/** Reads the lines added since the last call. */
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
