// What each task of parts.md must have done: asked of files, output and the service's records, never of the program's text.
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";
import { MainClient } from "../../../src/index.js";
import { webhookInbox } from "../../../src/stores/sqlite/index.js";
import { freePort, type RunningProgram } from "../../support/program.ts";
import { ANOTHER, hmacOf, MINE, TENANT } from "../../webhooks/service-signer.js";
import type { Place } from "../support/place.ts";
import { finished, json, jsonLines, last, linesOf } from "./output.ts";

/** Starts the program with arguments and more environment, in the place. */
export type Start = (args?: readonly string[], env?: Record<string, string>) => RunningProgram;

/** Throws unless the program does what was asked. */
export type Grader = (start: Start, where: Place) => Promise<void>;

export const graders: Record<string, Grader> = {
  "create-references": async (start, { sandbox }) => {
    const { account, student } = (await json(start())) as { account: number; student: number };
    expect(sandbox.store.accounts.get(account)).toMatchObject({
      name: "Oak Training Ltd",
      email: "office@oak.example",
      address: { address: "1 High Street", postal_code: "OX1 1AA", city: "Oxford", country: "GB" },
    });
    expect(sandbox.store.users.get(student)).toMatchObject({ first_name: "Ada", email: "ada@oak.example" });
    expect(last(sandbox.store.affiliations)).toMatchObject({ account_id: account, user_id: student });
  },

  "field-errors": async (start, { sandbox, cwd }) => {
    const form = (fields: object) => writeFileSync(join(cwd, "form.json"), JSON.stringify(fields));
    const { count } = sandbox.store.users;
    // Refused by the service: the address is taken; then by the library: a name is missing.
    form({ first_name: "Jo", last_name: "Fox", email: sandbox.store.users.get(1)?.email });
    expect(await json(start(), 2)).toEqual({ email: [expect.any(String)] });
    form({ first_name: "Jo", email: "jo@example.org" });
    expect(await json(start(), 2)).toEqual({ last_name: [expect.any(String)] });
    expect(sandbox.store.users.count).toBe(count);
    form({ first_name: "Jo", last_name: "Fox", email: "jo@example.org" });
    expect(await json(start())).toEqual({ id: last(sandbox.store.users).id });
    sandbox.revokeKey(sandbox.apiKey);
    expect((await start().ended).code).not.toBe(2);
  },

  "webhook-receiver": async (start, { cwd, read }) => {
    const env = { PORT: String(await freePort()), WEBHOOK_SECRET: MINE };
    const seconds = Math.floor(Date.now() / 1_000);
    const post = async (id: number, updated: string, secret = MINE) => {
      // More than a name and a time, by which a copy is told.
      const event_data = { id, type: "Invoice", status: "open", updated_at: `2026-01-01T${updated}.000Z` };
      const body = Buffer.from(JSON.stringify({ tenant_id: TENANT, event: "invoice.updated", event_data }));
      const signature = `t=${seconds},signature=${hmacOf(secret, seconds, body)}`;
      const headers = { "content-type": "application/json", "academy-signature-v1": signature };
      return (await fetch(`http://127.0.0.1:${env.PORT}/webhooks`, { method: "POST", headers, body })).status;
    };
    const handled = (times: number) =>
      expect.poll(() => existsSync(join(cwd, "events.log")) && linesOf(read("events.log")).sort()).toHaveLength(times);

    const first = start([], env);
    await first.printed(/ready/);
    expect([await post(1, "08:00:00"), await post(1, "08:00:00"), await post(1, "08:00:00", ANOTHER)]).toEqual([
      200, 200, 401,
    ]);
    await handled(1);
    // What was handled and not yet marked as done may be handled again: no program can know.
    for (const file of readdirSync(cwd).filter((name) => /\.(sqlite|db)$/.test(name))) {
      const database = new DatabaseSync(join(cwd, file));
      await expect.poll(async () => (await webhookInbox(database).count()).waiting).toBe(0);
      database.close();
    }
    first.process.kill("SIGKILL");
    await first.ended;

    const second = start([], env);
    await second.printed(/ready/);
    // A copy, another change of the same invoice, and another invoice.
    for (const [id, updated] of [
      [1, "08:00:00"],
      [1, "09:00:00"],
      [2, "08:00:00"],
    ] as const)
      expect(await post(id, updated)).toBe(200);
    await handled(3);
    second.process.kill("SIGKILL");
    await second.ended;
    expect(linesOf(read("events.log")).sort()).toEqual(["invoice.updated 1", "invoice.updated 1", "invoice.updated 2"]);
  },

  "custom-fields": async (start, { sandbox }) => {
    expect(await jsonLines(start(["size", "XL"]))).toEqual([
      { slug: "diet", title: "Diet" },
      { slug: "size", title: "Size of your T-shirt" },
    ]);
    expect(sandbox.store.users.get(7)?.custom).toEqual({ diet: "none", size: "XL" });
  },

  "outcome-unknown": async (start, { sandbox, cwd }) => {
    writeFileSync(join(cwd, "lead.json"), JSON.stringify({ title: "Asked by telephone", quality: null }));
    const { count } = sandbox.store.leads;
    sandbox.faults.next({ operation: "leads.create", reset: true, applied: true });
    expect(await json(start())).toEqual({ look: true });
    expect(sandbox.store.leads.count).toBe(count + 1);
    const nobody = { EDUCATION_ADMIN_BASE_URL: `http://127.0.0.1:${await freePort()}` };
    expect(await json(start([], nobody))).toEqual({ again: true });
    expect(await json(start())).toEqual({ id: last(sandbox.store.leads).id });
    expect(sandbox.store.leads.count).toBe(count + 2);
  },

  joins: async (start, { sandbox }) => {
    const { enrollments, users, plannedCourses, courses } = sandbox.store;
    const expected = [...enrollments]
      .filter(({ status }) => status === "active")
      .map(({ student_id, planned_course_id }) => {
        const { first_name, middle_name, last_name } = users.get(student_id) as never;
        const student = [first_name, middle_name, last_name].filter((name) => name !== null).join(" ");
        return { student, course: courses.get(plannedCourses.get(planned_course_id)?.course_id ?? 0)?.name };
      });
    const sorted = (records: object[]) => records.map((record) => JSON.stringify(Object.values(record))).sort();
    expect(sorted(await jsonLines(start()))).toEqual(sorted(expected));
    expect(expected.length).toBeGreaterThan(5);
    // All lists that are needed, read once: a request per row would take more than twice as many.
    expect(sandbox.requests.length).toBeLessThanOrEqual(30);
  },

  resume: async (start, { sandbox, read }) => {
    const page = { operation: "users.list" } as const;
    sandbox.faults.next(page, page, { ...page, delayMs: Number.POSITIVE_INFINITY });
    const killed = start();
    // The second page has been handed out, so the program has finished the first.
    await expect.poll(() => sandbox.requests.length).toBe(3);
    await expect.poll(() => linesOf(read("ids.txt")).length).toBe(200);
    killed.process.kill("SIGKILL");
    await killed.ended;
    await finished(start());
    const ids = [...sandbox.store.users].map(({ id }) => String(id));
    expect(linesOf(read("ids.txt"))).toEqual(ids);
    expect(sandbox.requests.length - 3).toBeLessThanOrEqual(2);
  },

  proxy: async (start, { sandbox }) => {
    const port = await freePort();
    const running = start([], { PORT: String(port) });
    await running.printed(/ready/);
    const origins: (string | null)[] = [];
    const page = new MainClient({
      baseUrl: `http://127.0.0.1:${port}/education`,
      apiKey: null,
      fetch: async (input, init) => {
        const headers = new Headers(init?.headers);
        headers.set("origin", "https://www.academy.example");
        const response = await fetch(input, { ...init, headers });
        origins.push(response.headers.get("access-control-allow-origin"));
        return response;
      },
    });
    const courses = await page.courses.list().toArray({ max: 1_000 });
    expect(courses).toHaveLength(sandbox.store.courses.count);
    expect((await page.plannedCourses.get(1)).id).toBe(1);
    expect([...new Set(origins)]).toEqual(["https://www.academy.example"]);
    await expect(page.users.list().toArray({ max: 1 })).rejects.toMatchObject({ status: 403 });
    await expect(page.courses.update(1, { name: "Mine" } as never)).rejects.toThrow();
    expect(sandbox.calls("users.list")).toEqual([]);
    running.process.kill("SIGKILL");
    await running.ended;
  },

  schools: async (start, { env }) => {
    const secrets = {
      CLIENT_ID: "agency",
      CLIENT_SECRET: "s3cret",
      ENCRYPTION_KEY: Buffer.alloc(32, 1).toString("base64"),
    };
    const school = env.EDUCATION_ADMIN_BASE_URL ?? "";
    const url = new URL(linesOf(await finished(start([school], secrets))).at(-1) ?? "");
    const asked = Object.fromEntries(url.searchParams);
    expect([url.origin, asked.client_id, asked.redirect_uri]).toEqual([
      school,
      "agency",
      "https://app.example/callback",
    ]);
    expect(asked.scope?.split(" ").sort()).toEqual(["accounts:read", "invoices:read"]);
    expect(url.href).not.toContain("s3cret");
  },

  "assistant-tools": async (start, { sandbox }) => {
    const [names = "", got = ""] = linesOf(await finished(start()));
    expect(JSON.parse(names)).toEqual(["describe", "read", "count"]);
    expect(JSON.parse(got)).not.toHaveProperty("error");
    expect(sandbox.calls("users.list").length).toBeGreaterThan(0);
    for (const user of sandbox.store.users) expect(got).not.toContain(user.email);
    const [one] = sandbox.store.users;
    expect(got).not.toContain(one?.last_name);
    expect(JSON.parse(got).rows).toHaveLength(2);
  },

  "sandbox-test": async (start) => {
    // An address that nobody answers: a program that left the sandbox would fail.
    const { accounts, requests } = (await json(start([], { EDUCATION_ADMIN_BASE_URL: "http://127.0.0.1:9" }))) as {
      accounts: number;
      requests: number;
    };
    expect(accounts).toBeGreaterThan(0);
    expect(requests).toBe(1 + Math.ceil(accounts / 100));
  },

  "shared-limit": async (start, { sandbox, cwd }) => {
    expect(Number(await finished(start()))).toBe(sandbox.store.leads.count);
    const database = new DatabaseSync(join(cwd, "limits.db"), { readOnly: true });
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    expect(tables.length).toBeGreaterThan(0);
    database.close();
  },

  doctor: async (start, { sandbox }) => {
    const checks = await jsonLines(start());
    expect(checks.length).toBeGreaterThan(10);
    for (const check of checks) {
      expect(check).toEqual({
        check: expect.any(String),
        status: expect.stringMatching(/^(as_assumed|new|not_seen)$/),
      });
    }
    sandbox.faults.next({ headers: { total: "3" }, times: Number.POSITIVE_INFINITY });
    expect((await jsonLines(start(), 1)).some(({ status }) => status === "differs")).toBe(true);
  },
};
