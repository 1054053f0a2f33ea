import { rmSync } from "node:fs";
import { DAY, HOUR, MINUTE, type World } from "./world.js";

/** A fault of the surroundings that lasts for a while. */
export interface Disturbance {
  readonly name: string;
  readonly lasts: number;
  /** How far the clock is ahead at the start of the part. If set, the part starts after `begin`. */
  readonly startsAhead?: number;
  /** The name of the only part that it concerns. Default: all. */
  readonly only?: string;
  begin(world: World): void;
  end(world: World): void;
}

// The clock's jumps lie on both sides of every constant: a minute, 15 minutes, a day. A jump exactly as long as a
// guard's limit would hide failures that the guard does not notice.
export const DISTURBANCES: readonly Disturbance[] = [
  {
    name: "the key is replaced late",
    lasts: 10 * MINUTE,
    begin(world) {
      const { sandbox } = world;
      world.nextKey = String(sandbox.createKey());
      sandbox.revokeKey(String(sandbox.apiKey));
    },
    end(world) {
      world.key = world.nextKey;
    },
  },
  ...[403, 404, 429, 503].map(refusal),
  {
    name: "the clock is a day ahead for an hour",
    lasts: HOUR,
    begin(world) {
      world.ahead = DAY;
    },
    end(world) {
      world.ahead = 0;
    },
  },
  setBack(3 * HOUR, "three hours"),
  setBack(DAY, "a day"),
  {
    name: "refused for 70 minutes, and the clock is set back by a day meanwhile",
    lasts: 70 * MINUTE,
    begin(world) {
      world.refuses = 403;
    },
    end(world) {
      world.ahead = -DAY;
      world.refuses = null;
    },
  },
  {
    name: "started a day ahead, the database away for a moment, then set right",
    lasts: 30_000,
    startsAhead: DAY,
    begin(world) {
      world.databaseIs = "away";
    },
    end(world) {
      world.databaseIs = "there";
      world.ahead = 0;
    },
  },
  {
    name: "the application is refused for an hour",
    only: "a school's client, called every minute",
    lasts: HOUR,
    begin(world) {
      world.refusesApplication = true;
    },
    end(world) {
      world.refusesApplication = false;
    },
  },
  outage("away", "the database is away for an hour"),
  outage("full", "the disk is full for an hour"),
  {
    name: "cursors end for an hour",
    lasts: HOUR,
    begin(world) {
      world.endsCursors = true;
    },
    end(world) {
      world.endsCursors = false;
    },
  },
  {
    name: "the copy is set back to an hour ago",
    lasts: HOUR,
    begin(world) {
      world.raw.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      rmSync(`${world.file}.backup`, { force: true });
      world.raw.exec(`VACUUM INTO '${world.file}.backup'`);
      const { accounts } = world.sandbox.store;
      let turn = 0;
      world.repeat(5 * MINUTE, async () => {
        if (turn++ >= 8) return;
        for (const { id } of accounts) accounts.update(id as never, { name: `Before ${turn}` } as never);
      });
    },
    end({ raw, file }) {
      raw.exec(`ATTACH '${file}.backup' AS old`);
      raw.exec("BEGIN IMMEDIATE");
      const tables = raw.prepare(
        "SELECT name FROM old.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
      );
      for (const { name } of tables.all() as { name: string }[])
        raw.exec(`DELETE FROM main."${name}"; INSERT INTO main."${name}" SELECT * FROM old."${name}"`);
      raw.exec("COMMIT");
      raw.exec("DETACH old");
    },
  },
];

function refusal(status: number): Disturbance {
  return {
    name: `${status} for an hour`,
    lasts: HOUR,
    begin(world) {
      world.refuses = status;
    },
    end(world) {
      world.refuses = null;
    },
  };
}

function setBack(ms: number, words: string): Disturbance {
  return {
    name: `the clock is set back by ${words}`,
    lasts: MINUTE,
    begin(world) {
      world.ahead = -ms;
    },
    end() {},
  };
}

function outage(is: World["databaseIs"], name: string): Disturbance {
  return {
    name,
    lasts: HOUR,
    begin(world) {
      world.databaseIs = is;
    },
    end(world) {
      world.databaseIs = "there";
    },
  };
}
