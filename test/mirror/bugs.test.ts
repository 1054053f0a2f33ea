import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Work } from "../../src/mirror/context.js";
import type { ListPlan } from "../../src/mirror/plan.js";
import type { Sweeping } from "../../src/mirror/state.js";

const MOST = 200;

/** Plays histories until one has a problem. @returns the problem, or null if there is none. */
async function firstProblem(): Promise<string | null> {
  const { tell } = await import("./support/histories.js");
  for (let seed = 1; seed <= MOST; seed++) {
    const { problem } = await tell(seed);
    if (problem) return problem;
  }
  return null;
}

describe("the histories detect deliberate bugs", { timeout: 120_000 }, () => {
  beforeEach(() => vi.resetModules());
  afterEach(() => {
    for (const name of ["decide", "prove", "http", "state"]) vi.doUnmock(`../../src/mirror/${name}.js`);
    vi.resetModules();
  });

  test("the last arrival overwrites a newer version", async () => {
    vi.doMock("../../src/mirror/decide.js", async (original) => ({
      ...(await original<object>()),
      ageOf: () => "newer",
    }));
    expect(await firstProblem()).toMatch(/went back|differs|rows, the service has/);
  });

  test("records missing from a list are deleted without proof", async () => {
    vi.doMock("../../src/mirror/prove.js", async (original) => {
      const { markGone } = await import("../../src/mirror/records.js");
      const prove = async (work: Work, plan: ListPlan, { sweeps }: Sweeping) => {
        const gone = await work.tables.write([plan], async (sql) => {
          const rows = await sql.all<{ id: number; parent: string }>(
            `SELECT id, ${plan.parent ? "mirror_parent" : "''"} AS parent FROM {${plan.table}} WHERE gone_at IS NULL AND mirror_seen < ?`,
            [sweeps],
          );
          const evidence = { begun: Number.MAX_SAFE_INTEGER, ended: work.ticks.next() };
          return markGone(sql, work, plan, rows, evidence);
        });
        return { gone, pending: 0, held: null };
      };
      return { ...(await original<object>()), prove };
    });
    expect(await firstProblem()).toContain("is marked as gone, but was never deleted");
  });

  test("a key's 404 counts for records that only another key has seen", async () => {
    vi.doMock("../../src/mirror/state.js", async (original) => {
      const real = await original<typeof import("../../src/mirror/state.js")>();
      const startSweep: typeof real.startSweep = (state, key, ...more) =>
        real.startSweep({ ...state, key }, key, ...more);
      return { ...real, startSweep };
    });
    expect(await firstProblem()).toContain("is marked as gone, but was never deleted");
  });

  test("a page is sometimes left out", async () => {
    vi.doMock("../../src/mirror/http.js", async (original) => {
      const real = await original<typeof import("../../src/mirror/http.js")>();
      const pagesOf: typeof real.pagesOf = async function* (...input) {
        let number = 0;
        for await (const page of real.pagesOf(...input)) yield ++number % 3 === 0 ? { ...page, records: [] } : page;
      };
      return { ...real, pagesOf };
    });
    expect(await firstProblem()).toMatch(/rows, the service has|no complete run|never deleted/);
  });
});
