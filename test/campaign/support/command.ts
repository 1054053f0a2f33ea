import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";

/** The settings of a campaign. */
export interface CampaignOptions {
  readonly seed?: number;
  /**
   * True for the size on which the project's published figures are based; otherwise the campaign is small enough for a
   * test run.
   */
  readonly long?: boolean;
}

/** The figures that every campaign reports. */
export interface Figures {
  readonly campaign: string;
  readonly seed: number;
  readonly size: "short" | "long";
  readonly cores: number;
  readonly node: string;
  readonly seconds: number;
  /** The broken promises; empty if all were kept. */
  readonly broken: readonly string[];
}

/** Collects broken promises: counts each kind and keeps its first example. */
export class Promises {
  readonly #counts = new Map<string, number>();
  readonly #examples = new Map<string, string>();

  /** Records the promise as broken unless `holds` is true. */
  check(holds: boolean, promise: string, example = ""): void {
    if (holds) return;
    this.#counts.set(promise, (this.#counts.get(promise) ?? 0) + 1);
    if (!this.#examples.has(promise)) this.#examples.set(promise, example);
  }

  get broken(): string[] {
    return [...this.#counts].map(([promise, count]) => {
      const example = this.#examples.get(promise);
      return `${promise}: ${count} times${example ? `, first: ${example.slice(0, 300)}` : ""}`;
    });
  }
}

/** Runs a campaign and adds the figures that all campaigns report. */
export async function campaign<Extra extends object>(
  name: string,
  options: CampaignOptions,
  work: (settings: { seed: number; long: boolean; promises: Promises }) => Promise<Extra>,
): Promise<Figures & Extra> {
  const { seed = 1, long = false } = options;
  const promises = new Promises();
  const started = performance.now();
  const results = await work({ seed, long, promises });
  return {
    campaign: name,
    seed,
    size: long ? "long" : "short",
    cores: availableParallelism(),
    node: process.version,
    seconds: round((performance.now() - started) / 1000, 1),
    ...results,
    broken: promises.broken,
  };
}

/**
 * Turns a campaign into a command: it takes `--seed 1 --long`, prints one line of JSON, and ends with status 1 if a
 * promise is broken.
 */
export async function command(run: (options: CampaignOptions) => Promise<Figures>): Promise<void> {
  const { values } = parseArgs({ options: { seed: { type: "string", default: "1" }, long: { type: "boolean" } } });
  const figures = await run({ seed: Number(values.seed), long: values.long ?? false });
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  // Does not call exit(), so that a campaign that leaves something running does not end.
  process.exitCode = figures.broken.length === 0 ? 0 : 1;
}

/** Rounds a figure to a number of decimals. */
export function round(value: number, decimals = 2): number {
  return Number(value.toFixed(decimals));
}
