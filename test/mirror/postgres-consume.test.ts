import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Server, startPostgres } from "../stores/support/servers.js";
import { seeds } from "../support/amount.js";
import { needs } from "../support/tools.js";
import { feedHistory } from "./support/feed-history.js";
import { postgresPlace } from "./support/feed-places.js";

// Seeds of histories that the SQLite tests do not use.
const HISTORIES = seeds("mirror/postgres-consume", 3, 60).map((seed) => 10_000 + seed);

describe("a feed on Postgres", needs("postgres"), () => {
  let server: Server;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  test(`after ${HISTORIES.length} histories, consumers have the same records as the copy`, {
    timeout: 60_000 + HISTORIES.length * 20_000,
  }, async () => {
    const wrong: string[] = [];
    for (const seed of HISTORIES) {
      const problem = await feedHistory(seed, await postgresPlace(server.url, `feed_${seed}`));
      if (problem) wrong.push(problem);
    }
    expect(wrong).toEqual([]);
  });
});
