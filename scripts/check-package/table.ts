export interface Line {
  readonly name: string;
  readonly version: string;
  readonly result: "ok" | "FAILED";
  readonly seconds: string;
  readonly note: string;
}

/** Formats the lines as a table for a terminal. */
export function layOut(lines: readonly Line[]): string {
  const head = { name: "consumer or runtime", version: "version", result: "result", seconds: "seconds", note: "" };
  const widest = (key: keyof Line) => Math.max(...[head, ...lines].map((line) => line[key].length));
  const widths = { name: widest("name"), version: widest("version"), result: 6, seconds: 7 };
  const write = (line: Record<keyof Line, string>) =>
    [
      line.name.padEnd(widths.name),
      line.version.padEnd(widths.version),
      line.result.padEnd(widths.result),
      line.seconds.padStart(widths.seconds),
      line.note,
    ]
      .join("  ")
      .trimEnd();
  const rule = { name: "-".repeat(widths.name), version: "-".repeat(widths.version), result: "-".repeat(6), note: "" };
  return [write(head), write({ ...rule, seconds: "-".repeat(7) }), ...lines.map(write)].join("\n");
}
