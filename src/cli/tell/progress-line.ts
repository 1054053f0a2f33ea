import type { Output } from "../terminal.js";
import { truncateToWidth } from "./table.js";

/** Bytes with a unit that people read. */
export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const [unit, divisor] = bytes < 1_000_000 ? ["kB", 1_000] : bytes < 1_000_000_000 ? ["MB", 1_000_000] : ["GB", 1e9];
  return `${(bytes / (divisor as number)).toFixed(1)} ${unit}`;
}

/** A line that a terminal writes over. Programs that read the output get none. */
export class LiveLine {
  readonly #output: Output;
  #isShown = false;

  constructor(output: Output) {
    this.#output = output;
  }

  /**
   * How many columns a line may have: the terminal writes `^C` behind it, which must not begin another line. A terminal of
   * width 0 has not said how wide it is.
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

/** A number as people read it: `12,300`. */
export function groupDigits(count: number): string {
  return count.toLocaleString("en-US");
}

/** A time of today with minutes, rounded up, so that what is waited for is over by then. */
export function minuteOf(time: Date): string {
  const rounded = new Date(Math.ceil(time.getTime() / 60_000) * 60_000);
  return rounded.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}
