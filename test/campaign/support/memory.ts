import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | undefined = globalThis.gc && (() => void globalThis.gc?.());

/** Collects garbage, even if node was started without `--expose-gc`. @returns the heap in use, in megabytes. */
export function settledHeapMb(): number {
  if (!collect) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
  return process.memoryUsage().heapUsed / 1_048_576;
}

/** The mean of the values. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The percentile of the values at a share between 0 and 1. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
