import { afterEach, expect, test, vi } from "vitest";
import { chance } from "../support/chance.js";
import { drawNumber } from "../support/draw.js";
import { DISTURBANCES } from "./disturbances.js";
import { startLife } from "./life.js";
import { DAY, HOUR, World } from "./world.js";

// Thirty days of a copy, its consumers and an inbox on one machine, with a disturbance every few hours and a new key
// every three days.

const DAYS = 30;
const KEY_EVERY = 3 * DAY;
const QUIET = 4 * HOUR;
const [REPLACED_KEY, ...OTHERS] = DISTURBANCES;

let world: World | null = null;
afterEach(() => {
  world?.end();
  world = null;
  vi.restoreAllMocks();
});

test(`${DAYS} days of disturbances leave a copy, its consumers and its inbox in the service's state`, {
  timeout: 1_200_000,
}, async () => {
  const seed = drawNumber();
  const random = chance(seed);
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  world = new World(0);
  const life = startLife(world);
  const { accounts } = world.sandbox.store;
  let isOver = false;
  world.repeat(HOUR, async () => {
    if (isOver) return;
    const ids = [...accounts].map(({ id }) => id);
    const id = ids[2 + upTo(ids.length - 3)] as never;
    const kind = random();
    if (kind < 0.2) accounts.insert({ name: "New" } as never);
    else if (kind < 0.35 && ids.length > 20) accounts.delete(id);
    else accounts.update(id, { name: `Name ${upTo(1_000_000)}` } as never);
  });
  const begun = world.sandbox.clock.now();
  const late: string[] = [];
  const tried = new Map<string, number>();
  let nextKey = begun + KEY_EVERY;
  await world.pass(QUIET);
  while (world.sandbox.clock.now() < begun + DAYS * DAY) {
    const isKeyDue = world.sandbox.clock.now() >= nextKey;
    if (isKeyDue) nextKey += KEY_EVERY;
    const disturbance = isKeyDue ? REPLACED_KEY : OTHERS[upTo(OTHERS.length - 1)];
    if (!disturbance) throw new Error("no disturbance");
    const { name, lasts, begin, end } = disturbance;
    tried.set(name, (tried.get(name) ?? 0) + 1);
    begin(world);
    await world.pass(lasts);
    end(world);
    await life.touch();
    const ended = world.sandbox.clock.now();
    for (const [part, interval, isWell] of life.parts) {
      const left = Math.max(0, ended + interval - world.sandbox.clock.now());
      if (!(await world.pass(left, isWell))) late.push(`day ${Math.floor((ended - begun) / DAY)}: ${part}: ${name}`);
    }
    await world.pass(QUIET / 2 + upTo(QUIET));
  }
  expect(late, `seed ${seed}`).toEqual([]);
  expect(tried.get(String(REPLACED_KEY?.name))).toBeGreaterThanOrEqual(DAYS / 3 - 1);
  expect(tried.size).toBeGreaterThan(8);

  isOver = true;
  await world.pass(3 * HOUR);
  const service = new Map([...accounts].map(({ id, name }) => [String(id), name]));
  expect(service.size).toBeGreaterThan(20);
  expect(life.inCopy(), "the copy").toEqual(service);
  expect(life.followed, "the follower").toEqual(service);
  expect(life.consumed(), "the consumer").toEqual(service);
  expect(life.unhandled(), "the inbox").toEqual([]);
});
