import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { signWebhook } from "../../src/webhooks/index.js";
import { type RunningProgram, start } from "../support/program.ts";
import { payloadOf, SECRET, sleep } from "./support.js";

const example = "test/webhooks/servers/receiver.ts";
let folder: string;
let database: string;
const running: RunningProgram[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "webhooks-"));
  database = join(folder, "webhooks.sqlite");
});

afterEach(async () => {
  for (const program of running.splice(0)) await program.end("SIGKILL");
  rmSync(folder, { recursive: true });
});

async function receiver(env: Record<string, string> = {}): Promise<{ program: RunningProgram; url: string }> {
  const program = start(example, [], { env: { WEBHOOK_SECRET: SECRET, PORT: "0", DATABASE: database, ...env } });
  running.push(program);
  return { program, url: await program.waitForOutput(/http:\/\/127\.0\.0\.1:\d+/) };
}

async function post(url: string, sequence: number, timestamp?: number, updated_at?: string): Promise<number> {
  const body = payloadOf("invoice.updated", { id: sequence, status: "open", updated_at });
  const headers = { ...(await signWebhook({ body, secrets: SECRET, timestamp })), "content-type": "application/json" };
  return (await fetch(url, { method: "POST", body, headers })).status;
}

function query<Row>(sql: string): Row[] {
  const reader = new DatabaseSync(database, { readOnly: true, timeout: 2_000 });
  try {
    return reader.prepare(sql).all() as Row[];
  } finally {
    reader.close();
  }
}

describe("the SQLite example", () => {
  it("loses nothing that it acknowledged with 200, however often it is killed with SIGKILL", async () => {
    const answered = new Set<number>();
    let sequence = 0;
    let unanswered = 0;
    const kills = 4;
    for (let kill = 0; kill < kills; kill++) {
      const { program, url } = await receiver({ WORK_MS: "100", LEASE_MS: "300" });
      // Eight senders post without a pause until the process dies.
      let alive = true;
      const senders = Array.from({ length: 8 }, async () => {
        while (alive) {
          const mine = sequence++;
          try {
            if ((await post(url, mine)) === 200) answered.add(mine);
          } catch {
            unanswered++;
            return;
          }
        }
      });
      const before = answered.size;
      await vi.waitFor(() => expect(answered.size).toBeGreaterThan(before + 20 + kill * 7), {
        timeout: 10_000,
        interval: 5,
      });
      await program.end("SIGKILL");
      alive = false;
      await Promise.all(senders);
    }
    const states = query<{ state: string; many: number }>(
      "SELECT state, count(*) AS many FROM education_admin_deliveries GROUP BY state",
    );
    const waitingAtTheEnd = states.find(({ state }) => state === "waiting")?.many ?? 0;
    expect(waitingAtTheEnd, "the kill came while deliveries were waiting").toBeGreaterThan(0);

    await receiver({ LEASE_MS: "300" });
    await vi.waitFor(
      () =>
        expect(
          query<{ many: number }>("SELECT count(*) AS many FROM education_admin_deliveries WHERE state <> 'done'"),
        ).toEqual([{ many: 0 }]),
      { timeout: 15_000, interval: 100 },
    );
    const handled = new Set(
      query<{ record_id: string }>("SELECT record_id FROM changes").map((row) => Number(row.record_id)),
    );
    const lost = [...answered].filter((one) => !handled.has(one));
    expect(lost).toEqual([]);
    console.log(
      JSON.stringify({
        campaign: "webhooks-kill",
        kills,
        answered: answered.size,
        unanswered,
        waitingAtTheEnd,
        handled: handled.size,
        lost: lost.length,
      }),
    );
  });

  it("recognizes a duplicate after a restart", async () => {
    const now = Math.floor(Date.now() / 1_000);
    const first = await receiver();
    expect(await post(first.url, 1, now, "2026-01-01T10:00:00Z")).toBe(200);
    await vi.waitFor(() => expect(query("SELECT * FROM changes")).toHaveLength(1), { timeout: 5_000 });
    expect(await first.program.end("SIGTERM")).toBe(0);
    const second = await receiver();
    expect(await post(second.url, 1, now - 1, "2026-01-01T10:00:00Z")).toBe(200);
    expect(await post(second.url, 1, now, "2026-01-01T10:00:01Z")).toBe(200);
    await vi.waitFor(() => expect(query("SELECT * FROM changes")).toHaveLength(2), { timeout: 5_000 });
    // The done-mark removes the body, after the listener has written its row.
    await vi.waitFor(() =>
      expect(query("SELECT DISTINCT payload FROM education_admin_deliveries")).toEqual([{ payload: "" }]),
    );
  });

  it("finishes its current work and ends by itself on SIGTERM", async () => {
    const { program, url } = await receiver({ WORK_MS: "200" });
    expect(await post(url, 1)).toBe(200);
    await sleep(50);
    expect(await program.end("SIGTERM")).toBe(0);
    expect(query("SELECT state, attempt FROM education_admin_deliveries")).toEqual([{ state: "done", attempt: 1 }]);
  });

  it("names a missing secret", async () => {
    const program = start(example, [], { env: { DATABASE: database } });
    expect((await program.ended).code).toBe(1);
    expect(program.output()).toContain("WEBHOOK_SECRET");
  });
});
