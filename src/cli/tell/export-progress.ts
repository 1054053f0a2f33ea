import type { ExportProgress } from "../../export/node.js";
import type { Output } from "../terminal.js";
import { groupDigits, LiveLine, minuteOf, size, waitingText } from "./progress-line.js";
import type { Wait } from "./wait-lines.js";

const BAR = 24;
/** Narrower terminals get no progress bar. */
const WIDE = 72;

export class ExportLine {
  readonly #line: LiveLine;
  #last: ExportProgress | null = null;

  constructor(output: Output) {
    this.#line = new LiveLine(output);
  }

  get hasBegun(): boolean {
    return this.#last !== null;
  }

  page(progress: ExportProgress): void {
    this.#last = progress;
    this.#line.show(this.#text(progress));
  }

  wait(wait: Wait): void {
    const waiting = waitingText(wait);
    this.#line.show(this.#last ? `${groupDigits(this.#last.records)} records; ${waiting}` : waiting);
  }

  clear(): void {
    this.#line.clear();
  }

  #text({ records, bytes, recordsPerSecond, percent, expectedEnd }: ExportProgress): string {
    const parts = [
      `${groupDigits(records)} records`,
      `${groupDigits(recordsPerSecond)}/s`,
      ...(expectedEnd === null ? [] : [`ends at about ${minuteOf(expectedEnd)}`]),
      size(bytes),
    ];
    if (percent === null) return parts.join("  ");
    const done = Math.round((percent / 100) * BAR);
    const bar = this.#line.width < WIDE ? "" : `[${"#".repeat(done)}${" ".repeat(BAR - done)}] `;
    return [`${bar}${Math.floor(percent)}%`, ...parts].join("  ");
  }
}
