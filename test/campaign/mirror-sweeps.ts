// The cost of sweeping a long list in Postgres after few changes: the rows written, and the growth of the database and
// of its write-ahead log.
import { MainClient } from "education-admin-sdk";
import { mirror, postgres } from "education-admin-sdk/mirror";
import pg from "pg";
import { startPostgres } from "../stores/support/servers.ts";
import { type CampaignOptions, campaign, command, type Figures, round } from "./support/command.ts";
import { AccountList } from "./support/mirror-service.ts";
import { createRandom, seedOf } from "./support/random.ts";

export interface MirrorSweepFigures extends Figures {
  readonly rows: number;
  readonly pages: number;
  readonly firstMb: number;
  readonly sweeps: readonly Sweep[];
}

/** One sweep after the first. Writes are the rows that Postgres counts as inserted, updated and deleted. */
export interface Sweep {
  readonly changed: number;
  readonly ofTheList: number;
  readonly ofChanges: number;
  /** Writes per page: for the range of the page, and for the state of the list with the page's checkpoint. */
  readonly ofRangesPerPage: number;
  readonly ofListsPerPage: number;
  readonly mb: number;
  readonly walMb: number;
  readonly seconds: number;
}

/** A list in which some records have been renamed. */
class ChangingList extends AccountList {
  readonly versions = new Map<number, number>();

  override record(id: number): string {
    const version = this.versions.get(id);
    return version === undefined ? super.record(id) : super.record(id).replace("Account ", `Account ${version} of `);
  }
}

export function run(options: CampaignOptions = {}): Promise<MirrorSweepFigures> {
  return campaign("mirror-sweeps", options, async ({ seed, long, promises }) => {
    const random = createRandom(seedOf(seed, "mirror-sweeps"));
    const rows = long ? 250_000 : 20_000;
    const pages = Math.ceil(rows / 100);
    const list = new ChangingList(rows);
    const server = await startPostgres();
    const pool = new pg.Pool({ connectionString: server.url });
    pool.on("error", () => undefined);
    const one = async (sql: string) => Number((await pool.query<{ value: string }>(sql)).rows[0]?.value);
    const writesOf = async () => {
      // Postgres updates its counts only after a connection has been idle for a moment, or on request.
      await pool.query("SELECT pg_stat_force_next_flush()").catch(() => undefined);
      const { rows: tables } = await pool.query<{ name: string; writes: string }>(
        "SELECT relname AS name, n_tup_ins + n_tup_upd + n_tup_del AS writes FROM pg_stat_user_tables",
      );
      return new Map(tables.map(({ name, writes }) => [name, Number(writes)]));
    };
    const megabytes = async () => round((await one("SELECT pg_database_size(current_database()) AS value")) / 1e6, 1);
    const client = new MainClient({
      baseUrl: "https://school.example",
      apiKey: "key",
      rateLimit: false,
      fetch: async (input: string) => list.answer(new URL(input)),
    });
    const copy = mirror(client, postgres(pool), { resources: ["accounts"] });
    promises.check((await copy.sync()).complete, "the first sweep is complete");
    const firstMb = await megabytes();
    const sweeps: Sweep[] = [];
    for (let sweep = 1; sweep <= 10; sweep++) {
      const changed = new Set<number>();
      while (changed.size < rows / 1_000) changed.add(random.whole(1, rows));
      for (const id of changed) list.versions.set(id, sweep);
      const before = await writesOf();
      const wal = await one("SELECT pg_current_wal_lsn() - '0/0' AS value");
      const started = performance.now();
      const { complete, lists } = await copy.sync();
      const seconds = round((performance.now() - started) / 1_000, 1);
      promises.check(
        complete && lists[0]?.changed === changed.size,
        "a sweep finds what has changed",
        `${lists[0]?.changed}`,
      );
      const after = await writesOf();
      const rowsWritten = (table: string) => (after.get(table) ?? 0) - (before.get(table) ?? 0);
      const found: Sweep = {
        changed: changed.size,
        ofTheList: rowsWritten("accounts"),
        ofChanges: rowsWritten("mirror_changes"),
        ofRangesPerPage: round(rowsWritten("mirror_ranges") / pages),
        ofListsPerPage: round(rowsWritten("mirror_lists") / pages),
        mb: await megabytes(),
        walMb: round(((await one("SELECT pg_current_wal_lsn() - '0/0' AS value")) - wal) / 1e6, 1),
        seconds,
      };
      sweeps.push(found);
      promises.check(
        found.ofTheList === changed.size,
        "a row is written if its record has changed",
        `${found.ofTheList}`,
      );
      promises.check(
        found.ofTheList + found.ofChanges <= 3 * changed.size,
        "at most 3 rows a change",
        `${found.ofChanges}`,
      );
      promises.check(found.ofRangesPerPage <= 1.01, "one range a page", `${found.ofRangesPerPage}`);
      promises.check(found.ofListsPerPage <= 1.1, "one state a page", `${found.ofListsPerPage}`);
    }
    const lastMb = sweeps.at(-1)?.mb ?? 0;
    // A small database grows mostly because of the initial size of its tables.
    promises.check(
      !long || lastMb <= 1.05 * firstMb,
      "ten sweeps add at most 5 percent to the database",
      `${firstMb}, ${lastMb}`,
    );
    await pool.end();
    await server.remove();
    return { rows, pages, firstMb, sweeps };
  });
}

if (import.meta.main) await command(run);
