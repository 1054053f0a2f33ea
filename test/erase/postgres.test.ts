import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { plan } from "../../src/bulk/node.js";
import { erase } from "../../src/erase/node.js";
import { MainClient } from "../../src/index.js";
import { mirror, postgres } from "../../src/mirror/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { bulkJournal, webhookInbox } from "../../src/stores/postgres/index.js";
import { onePostgres } from "../mirror/support/postgres.js";
import { CANARY, EMAIL } from "./support/places.ts";

describe("Postgres", () => {
  const { poolOf, rows } = onePostgres();

  test("keeps no row, version, delivery or line of the person", async () => {
    const folder = mkdtempSync(join(tmpdir(), "erase-postgres-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const sandbox = createSandbox({ size: 40, rateLimit: false, skipWaits: true });
    const client = new MainClient(sandbox);
    const pool = poolOf();
    await client.users.update(7, { email: EMAIL, middle_name: `${CANARY} one` });
    const copy = mirror(client, postgres(pool), { resources: ["users"], clock: sandbox.clock, share: 1 });
    await copy.sync();
    await client.users.update(7, { middle_name: `${CANARY} two` });
    await copy.sync();
    const payload = JSON.stringify({
      tenant_id: "1",
      educator: "x",
      event: "user.updated",
      event_data: { id: 7, email: EMAIL },
    });
    const times = { receivedAt: Date.now(), sentAt: null, record: "1/user/7", foldKey: null };
    await webhookInbox(pool).put({ id: "one", event: "user.updated", payload, ...times });
    await plan(client.users, [{ id: 7, middle_name: `${CANARY} three` }], {
      to: bulkJournal(pool, "names"),
      key: "id",
    });
    const databases = [postgres(pool), postgres(pool, { prefix: "education_admin_" })];
    const left = async () => {
      const tables = await rows("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'");
      const found = await Promise.all(
        tables.map(async ({ name }) => [
          name,
          await rows(`SELECT 1 FROM "${name}" AS row WHERE row::text LIKE '%${CANARY}%'`),
        ]),
      );
      return found.flatMap(([name, all]) => ((all as unknown[]).length > 0 ? [name] : [])).sort();
    };
    const all = ["education_admin_bulk_lines", "education_admin_deliveries", "mirror_changes", "users"];
    expect(await left()).toEqual(all);
    expect(await erase({ user: 7 }, { in: folder, databases, write: true })).toMatchObject({
      complete: false,
      places: [
        { place: "databases[0]", kind: "mirror", records: 1, parts: 1, open: 0 },
        { place: "databases[1]", kind: "inbox", records: 1, open: 1 },
        { place: "databases[1]", kind: "journal", records: 1, open: 1 },
      ],
    });
    expect(await left()).toEqual(all.slice(0, 2));
    expect((await erase({ user: 7 }, { in: folder, databases, write: true, unfinished: true })).complete).toBe(true);
    expect(await left()).toEqual([]);
    expect(await rows("SELECT state, payload FROM education_admin_deliveries")).toEqual([
      { state: "done", payload: "" },
    ]);
    expect(await rows("SELECT count(*)::int AS users FROM users")).toEqual([{ users: 39 }]);
  });
});
