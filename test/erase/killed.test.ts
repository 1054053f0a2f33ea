import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { drawCases } from "../support/amount.ts";
import { CANARY, filesWith, fillPlaces } from "./support/places.ts";

const WORKER = fileURLToPath(new URL("support/erase-worker.ts", import.meta.url));

const run = (folder: string, id: number, end: number) =>
  spawnSync(process.execPath, [WORKER, folder, String(id), String(end)], { encoding: "utf8" });

/** The files of a folder, apart from databases and from what a killed process leaves beside them. */
function textsIn(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => /\.(csv|ndjson|gz|memory|[\da-f]{8})$/.test(name) && statSync(join(folder, name)).isFile(),
  );
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), "latin1")]));
}

/** The rows of a database that are not the person's, without the times and marks of the erasure. */
function rowsIn(folder: string): string {
  const database = new DatabaseSync(join(folder, "school.sqlite"));
  const all = (sql: string) => JSON.stringify(database.prepare(sql).all());
  const tables = ["users", "accounts", "enrollments", "orders", "invoices", "credits"];
  const rows = tables.map((table) => all(`SELECT id, record FROM ${table} ORDER BY id`));
  const feed = all("SELECT list, id, kind, after FROM mirror_changes ORDER BY seq");
  const others = all("SELECT name, line FROM education_admin_bulk_lines ORDER BY seq");
  database.close();
  return [...rows, feed, others].join("\n");
}

test("killed at any write, a second start finishes, and every file is whole or as it was", {
  timeout: 900_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "erase-killed-"));
  try {
    const { id } = await fillPlaces(join(folder, "before"));
    const copyTo = (name: string) => {
      cpSync(join(folder, "before"), join(folder, name), { recursive: true });
      return join(folder, name);
    };
    const done = copyTo("done");
    const { stdout } = run(done, id, 0);
    const { writes, report } = JSON.parse(stdout) as { writes: number; report: { complete: boolean } };
    expect([report.complete, filesWith(done, CANARY)]).toEqual([true, []]);
    expect(writes).toBeGreaterThan(20);
    const [before, after] = [textsIn(join(folder, "before")), textsIn(done)];
    for (const end of drawCases(
      Array.from({ length: 2 * writes }, (_, at) => at + 1),
      6,
      30,
    )) {
      const killed = copyTo(`killed-${end}`);
      expect(run(killed, id, end).signal, `write ${end}`).toBe("SIGKILL");
      for (const [name, text] of textsIn(killed)) expect([before.get(name), after.get(name)], name).toContain(text);
      expect(run(killed, id, 0).stderr, `write ${end}`).toBe("");
      expect(filesWith(killed, CANARY), `write ${end}`).toEqual([]);
      expect(textsIn(killed), `write ${end}`).toEqual(after);
      expect(rowsIn(killed), `write ${end}`).toBe(rowsIn(done));
      rmSync(killed, { recursive: true });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
