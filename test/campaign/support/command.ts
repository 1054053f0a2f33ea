import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";

/** How a campaign is run. */
export interface CampaignOptions {
  readonly seed?: number;
  /** True: the size the project's figures are taken at; otherwise one that fits into the test run. */
  readonly long?: boolean;
}

/** What every campaign tells. */
export interface Figures {
  readonly campaign: string;
  readonly seed: number;
  readonly size: "short" | "long";
  readonly cores: number;
  readonly node: string;
  readonly seconds: number;
  /** The promises that did not hold; empty when all did. */
  readonly broken: readonly string[];
}

/** Collects what did not hold: every kind counted, the first few told. */
export class Promises {
  readonly #counts = new Map<string, number>();
  readonly #examples = new Map<string, string>();

  /** Notes a broken promise unless it holds. */
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

/** Runs a campaign and adds what all of them tell. */
export async function campaign<Own extends object>(
  name: string,
  options: CampaignOptions,
  work: (settings: { seed: number; long: boolean; promises: Promises }) => Promise<Own>,
): Promise<Figures & Own> {
  const { seed = 1, long = false } = options;
  const promises = new Promises();
  const started = performance.now();
  const own = await work({ seed, long, promises });
  return {
    campaign: name,
    seed,
    size: long ? "long" : "short",
    cores: availableParallelism(),
    node: process.version,
    seconds: rounded((performance.now() - started) / 1000, 1),
    ...own,
    broken: promises.broken,
  };
}

/** Makes a campaign a command: `--seed 1 --long`, one line of JSON, exit status 1 when a promise is broken. */
export async function command(run: (options: CampaignOptions) => Promise<Figures>): Promise<void> {
  const { values } = parseArgs({ options: { seed: { type: "string", default: "1" }, long: { type: "boolean" } } });
  const figures = await run({ seed: Number(values.seed), long: values.long ?? false });
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  // No exit(): a campaign that leaves something running does not end, and that is to be seen.
  process.exitCode = figures.broken.length === 0 ? 0 : 1;
}

/** A figure with no more decimals than it deserves. */
export function rounded(value: number, decimals = 2): number {
  return Number(value.toFixed(decimals));
}
