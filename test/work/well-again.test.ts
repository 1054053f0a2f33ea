import { afterEach, expect, test, vi } from "vitest";
import { drawCases } from "../support/amount.ts";
import { DISTURBANCES, type Disturbance } from "./disturbances.js";
import { LONG_LIVED, type LongLived } from "./long-lived.js";
import { MINUTE, World } from "./world.js";

// One property of every part that runs for months: within its own interval after a disturbance has ended, it works
// again.

interface Cell {
  readonly name: string;
  readonly part: LongLived;
  readonly disturbance: Disturbance;
}

const CELLS: readonly Cell[] = LONG_LIVED.flatMap((part) =>
  DISTURBANCES.filter(({ name, only }) => !part.not?.includes(name) && (only === undefined || part.name === only)).map(
    (disturbance) => ({
      name: `${part.name}: ${disturbance.name}`,
      part,
      disturbance,
    }),
  ),
);

let world: World | null = null;
afterEach(() => {
  world?.end();
  world = null;
  vi.restoreAllMocks();
});

for (const { name, part, disturbance } of drawCases(CELLS, 8)) {
  test(name, async () => {
    const minutes = part.interval / MINUTE;
    expect(await isWellAgain(part, disturbance), `well again within ${minutes} minutes`).toBe(true);
  });
}

/** True if a part is well again within its interval after a disturbance has ended. */
async function isWellAgain(part: LongLived, { begin, end, lasts, startsAhead = 0 }: Disturbance): Promise<boolean> {
  world = new World(startsAhead);
  if (startsAhead > 0) begin(world);
  const running = await part.start(world);
  if (startsAhead === 0) {
    await world.pass(70 * MINUTE);
    await running.touch();
    expect(await world.pass(part.interval, running.isWell), "well before the disturbance").toBe(true);
    await running.before?.();
    begin(world);
  }
  await world.pass(lasts);
  end(world);
  await running.touch();
  return world.pass(part.interval, running.isWell);
}
