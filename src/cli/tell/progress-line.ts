import type { Output } from "../terminal.js";
import { truncateToWidth } from "./table.js";
import type { Wait } from "./wait-lines.js";

export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const [unit, divisor] = bytes < 1_000_000 ? ["kB", 1_000] : bytes < 1_000_000_000 ? ["MB", 1_000_000] : ["GB", 1e9];
  return `${(bytes / (divisor as number)).toFixed(1)} ${unit}`;
}

/** A line that a terminal overwrites. Nothing is written if the output is not a terminal. */
export class LiveLine {
  readonly #output: Output;
  #isShown = false;

  constructor(output: Output) {
    this.#output = output;
  }

  /**
   * Maximum width of the line: leaves room for the `^C` that the terminal adds, so that the line does not wrap. A
   * terminal of unknown width counts as 80 columns.
   */
  get width(): number {
    return (this.#output.columns || 80) - 3;
  }

  show(text: string): void {
    if (!this.#output.isTTY) return;
    this.#output.write(`\r${truncateToWidth(text, this.width)}\x1b[K`);
    this.#isShown = true;
  }

  clear(): void {
    if (this.#isShown) this.#output.write("\r\x1b[J");
    this.#isShown = false;
  }
}

export function waitingText({ until, why }: Wait): string {
  return `waiting${until ? ` until ${minuteOf(until)}` : ""}: ${why}`;
}

export function percentText(percent: number, end: Date | null): string {
  return `${Math.floor(percent)}%${end && percent < 100 ? `, ends at about ${minuteOf(end)}` : ""}`;
}

export function groupDigits(count: number): string {
  return count.toLocaleString("en-US");
}

/** Formats a time as hours and minutes, rounded up: a wait must not end later than announced. */
export function minuteOf(time: Date): string {
  const rounded = new Date(Math.ceil(time.getTime() / 60_000) * 60_000);
  return rounded.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}
