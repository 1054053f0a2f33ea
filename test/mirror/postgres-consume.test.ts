import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Server, startPostgres } from "../stores/support/servers.js";
import { amount } from "../support/amount.js";
import { needs } from "../support/tools.js";
import { feedHistory } from "./support/feed-history.js";
import { postgresPlace } from "./support/feed-places.js";

const HISTORIES = amount(3, 60);
// Others than those on SQLite.
const FIRST = 10_001;

describe("a feed on Postgres", needs("postgres"), () => {
  let server: Server;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  test(`${HISTORIES} histories leave consumers with what the copy holds`, {
    timeout: 60_000 + HISTORIES * 20_000,
  }, async () => {
    const wrong: string[] = [];
    for (let seed = FIRST; seed < FIRST + HISTORIES; seed++) {
      const problem = await feedHistory(seed, await postgresPlace(server.url, `feed_${seed}`));
      if (problem) wrong.push(problem);
    }
    expect(wrong).toEqual([]);
  });
});
