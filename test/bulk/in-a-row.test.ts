import { describe, expect, test } from "vitest";
import { apply, type BulkError, type BulkProgress, plan, rowsOf } from "../../src/bulk/node.js";
import { failure } from "../support/manual-clock.js";
import { testFolder } from "./support/folder.js";
import { copies, createdNumbers, each, people, school } from "./support/school.js";

describe("failures in a row", () => {
  test("because the key lost its scope end the run; the other rows stay planned, and nothing is lost", async () => {
    const at = testFolder();
    const { sandbox, client } = school();
    await plan(client.users, people(40), { to: at("a.plan"), key: "email" });
    sandbox.faults.next({ operation: "users.create" }, { operation: "users.create", times: 1000, status: 403 });
    const error = await failure<BulkError>(apply(client, at("a.plan")));
    expect(error.reason).toBe("stopped");
    expect(error.message).toContain("stopped after 10 identical failures in a row");
    expect(error.message).toContain("403 Forbidden");
    expect(error.message).not.toContain("@example.com");
    expect(sandbox.calls("users.create").length).toBeLessThan(25);
    sandbox.faults.clear();
    expect(await apply(client, at("a.plan"))).toMatchObject({ created: 40, complete: true });
    expect(copies(sandbox)).toEqual(each(40));
  });

  test("because of one field end the run with the service's message, without the row's values", async () => {
    const at = testFolder();
    const { sandbox, client } = school();
    await plan(client.users, people(12), { to: at("a.plan"), key: "email" });
    const errors = { email: ["is taken"] };
    sandbox.faults.next({ operation: "users.create" }, { operation: "users.create", times: 1000, errors });
    const { message } = await failure<BulkError>(apply(client, at("a.plan")));
    expect(message).toContain("stopped after 10 identical failures in a row");
    expect(message).toContain("422 Unprocessable Entity (email: is taken)");
    expect(message).not.toContain("@example.com");
  });

  test("that differ, or are not consecutive, do not end the run", async () => {
    const at = testFolder();
    const { sandbox, client } = school();
    await plan(client.users, people(9), { to: at("a.plan"), key: "email" });
    const refuseField = (field: string) => ({ operation: "users.create" as const, errors: { [field]: ["is odd"] } });
    const passed = { operation: "users.create" } as const;
    const [email, title] = [refuseField("email"), refuseField("title")];
    // Creates are sent one by one until the list has shown a record.
    sandbox.faults.next(email, title, email, title, email, title, email, passed, email);
    expect(await apply(client, at("a.plan"), { stopAfter: 2 })).toMatchObject({ created: 1, failed: 8 });
  });

  test("end the run after exactly the number that was set", async () => {
    const at = testFolder();
    const { sandbox, client } = school();
    await plan(client.users, people(9), { to: at("a.plan"), key: "email" });
    sandbox.faults.next({ operation: "users.create", times: 9, errors: { email: ["is odd"] } });
    const { message } = await failure<BulkError>(apply(client, at("a.plan"), { stopAfter: 3 }));
    expect(message).toMatch(
      /: stopped after 3 identical failures in a row\. Rows that were not sent stay planned\. Last failure: /,
    );
    expect(createdNumbers(sandbox)).toEqual([1, 2, 3]);
  });

  test("leave the service's message in each refused row, by column", async () => {
    const at = testFolder();
    const { sandbox, client } = school();
    await plan(client.users, people(3), { to: at("a.plan"), key: "email" });
    sandbox.faults.next({ operation: "users.create", errors: { email: ["is taken"] } });
    expect(await apply(client, at("a.plan"))).toMatchObject({ created: 2, failed: 1 });
    const whys: unknown[] = [];
    for await (const { why } of rowsOf(at("a.plan"))) whys.push(...why);
    expect(whys).toEqual([{ field: "email", message: "is taken" }]);
    // A later run does not send the refused row again.
    const sent = sandbox.requests.length;
    await apply(client, at("a.plan"));
    expect(sandbox.requests).toHaveLength(sent);
  });

  test("with status 429 make the run wait, however long", async () => {
    const at = testFolder();
    const { sandbox, client } = school();
    await plan(client.users, people(3), { to: at("a.plan"), key: "email" });
    sandbox.faults.next({ operation: "users.create", retryAfter: 1000 }, { operation: "users.create", retryAfter: 2 });
    expect(await apply(client, at("a.plan"))).toMatchObject({ created: 3, complete: true });
    expect(copies(sandbox)).toEqual(each(3));
  });

  test("with status 429 make the run wait as long as the service says, once the client has repeated the call", async () => {
    const at = testFolder();
    const { sandbox, client } = school();
    await plan(client.users, people(1), { to: at("a.plan"), key: "email" });
    sandbox.faults.next({ operation: "users.create", times: 3, retryAfter: 7 });
    const waits = new Set<string>();
    const onProgress = ({ waitingUntil, waitingFor }: BulkProgress) => {
      if (!waitingUntil) return;
      waits.add(`${waitingFor} ${Math.round((waitingUntil.getTime() - sandbox.clock.now()) / 1_000)}`);
    };
    expect(await apply(client, at("a.plan"), { onProgress })).toMatchObject({ created: 1, complete: true });
    expect([...waits]).toEqual(["retry 7"]);
  });

  test("with status 429 without end stop the run, even if the service asks for no wait", async () => {
    const at = testFolder();
    const { sandbox, client } = school();
    await plan(client.users, people(3), { to: at("a.plan"), key: "email" });
    sandbox.faults.next({ operation: "users.create", times: Number.POSITIVE_INFINITY, retryAfter: 0 });
    const error = await failure<BulkError>(apply(client, at("a.plan"), { stopAfter: 4 }));
    expect(error).toMatchObject({ reason: "stopped", message: expect.stringContaining("after 4 identical failures") });
    expect(new Set(createdNumbers(sandbox))).toEqual(new Set([1]));
    sandbox.faults.clear();
    expect(await apply(client, at("a.plan"))).toMatchObject({ created: 3, complete: true });
    expect(copies(sandbox)).toEqual(each(3));
  });

  test("with status 429 leave a create in doubt for the next run if it was in doubt before", async () => {
    const at = testFolder();
    const { sandbox, client } = school();
    await plan(client.users, people(3), { to: at("a.plan"), key: "email" });
    sandbox.faults.next(
      { operation: "users.create" },
      { operation: "users.create", reset: true },
      { operation: "users.create" },
      { operation: "users.create", retryAfter: 1000 },
    );
    const stop = new AbortController();
    const onProgress = ({ waitingUntil }: { readonly waitingUntil: Date | null }) => {
      if (waitingUntil && waitingUntil.getTime() - sandbox.clock.now() > 900_000) stop.abort();
    };
    await failure(apply(client, at("a.plan"), { signal: stop.signal, onProgress }));
    // Only now does the service carry out the rows that it has not yet created.
    for (const row of people(3)) if (!(row.email in copies(sandbox))) await client.users.create(row);
    expect(await apply(client, at("a.plan"))).toMatchObject({ created: 3, complete: true });
    expect(copies(sandbox)).toEqual(each(3));
  });

  test("keep the words of the service's messages, but not the row's values", async () => {
    const at = testFolder();
    const { sandbox, client } = school();
    const rows = people(13).map((row) => ({ ...row, email: row.email.toUpperCase(), middle_name: "Maria Ann" }));
    await plan(client.users, rows, { to: at("a.plan"), key: "email" });
    const said = rows.map(({ email, last_name }) => ({
      operation: "users.create" as const,
      errors: { email: [`${email.toLowerCase()} is taken`, `ask ${last_name}`], middle_name: ["not Maria Ann"] },
    }));
    sandbox.faults.next(...said);
    const error = await failure<BulkError>(apply(client, at("a.plan")));
    // The failures count as equal, although each message contains different values.
    expect(error).toMatchObject({ reason: "stopped", message: expect.stringContaining("after 10 identical failures") });
    for await (const { outcome, why } of rowsOf(at("a.plan"))) {
      if (outcome !== "failed") continue;
      expect(why).toEqual([
        { field: "email", message: "[redacted] is taken" },
        { field: "email", message: "ask [redacted]" },
        { field: "middle_name", message: "not [redacted]" },
      ]);
    }
  });
});
