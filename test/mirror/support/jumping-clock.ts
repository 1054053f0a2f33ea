import type { Clock } from "../../../src/core/clock.js";
import { chance } from "../../support/chance.js";

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
// On both sides of every limit: a minute, the ten minutes after which an older version is accepted, 15 minutes, a day.
const JUMPS = [
  0,
  0,
  -MINUTE / 2,
  -3 * MINUTE,
  -20 * MINUTE,
  -DAY - MINUTE,
  MINUTE / 2,
  9 * MINUTE,
  3 * 60 * MINUTE,
  DAY,
];

/** A clock that sometimes jumps while its monotonic time goes on. */
export interface JumpingClock extends Clock {
  /** With this probability, makes the clock jump. */
  jump(share: number): void;
}

/** A machine's clock that follows another one and jumps at random. */
export function jumpingClock(base: Clock, seed: number): JumpingClock {
  const random = chance(1_000_000 + seed);
  let ahead = 0;
  return {
    now: () => base.now() + ahead,
    steady: () => base.steady?.() ?? base.now(),
    setTimeout: (callback, ms) => base.setTimeout(callback, ms),
    clearTimeout: (timer) => base.clearTimeout(timer),
    jump(share) {
      if (random() < share) ahead = JUMPS[Math.floor(random() * JUMPS.length)] ?? 0;
    },
  };
}
