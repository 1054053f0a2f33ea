import { readFileSync, writeFileSync } from "node:fs";
import { expect } from "vitest";

const FILE = new URL("ceilings.json", import.meta.url);

type Ceilings = Record<string, number>;

/**
 * Checks a size against its ceiling in ceilings.json. `npm run size:update` sets the ceilings to 1% above the measured
 * sizes: run it after adding a resource, or a feature worth its size to every user.
 */
export function staysUnderCeiling(what: string, size: number): void {
  const ceilings = JSON.parse(readFileSync(FILE, "utf8")) as Ceilings;
  if (process.env.UPDATE_CEILINGS === "1") {
    const updated = { ...ceilings, [what]: Math.ceil(size * 1.01) };
    writeFileSync(FILE, `${JSON.stringify(updated, null, 2)}\n`);
    return;
  }
  expect(ceilings, "npm run size:update writes it").toHaveProperty([what]);
  expect(size, what).toBeLessThanOrEqual(ceilings[what] as number);
}
