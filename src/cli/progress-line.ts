import type { ExportProgress } from "../export/node.js";
import type { Output } from "./terminal.js";

const BAR = 24;

/** How far an export is, as one line: a bar where the length of the list is known, else what has been written. */
export function progressLine({ records, bytes, recordsPerSecond, percent }: ExportProgress): string {
  const counts = `${grouped(records)} records  ${size(bytes)}  ${grouped(recordsPerSecond)}/s`;
  if (percent === null) return counts;
  const done = Math.round((percent / 100) * BAR);
  return `[${"#".repeat(done)}${" ".repeat(BAR - done)}] ${Math.floor(percent)} %  ${counts}`;
}

/** Bytes with a unit that people read. */
export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const [unit, divisor] = bytes < 1_000_000 ? ["kB", 1_000] : bytes < 1_000_000_000 ? ["MB", 1_000_000] : ["GB", 1e9];
  return `${(bytes / (divisor as number)).toFixed(1)} ${unit}`;
}

/** A line that a terminal writes over. Programs that read the output get none. */
export class LiveLine {
  readonly #output: Output;

  constructor(output: Output) {
    this.#output = output;
  }

  show(text: string): void {
    if (!this.#output.isTTY) return;
    this.#output.write(`\r${text.slice(0, (this.#output.columns ?? 80) - 1)}\x1b[K`);
  }

  clear(): void {
    if (this.#output.isTTY) this.#output.write("\r\x1b[K");
  }
}

/** A number as people read it: `12,300`. */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
