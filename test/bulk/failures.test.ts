import { appendFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Fact } from "../../src/bulk/lines.js";
import { apply, type BulkError, plan, readCsv, rowsOf, undo, writeReport } from "../../src/bulk/node.js";
import { factLine } from "../../src/bulk/node-state.js";
import type { Fault } from "../../src/sandbox/index.js";
import { drawCases } from "../support/amount.js";
import { failure } from "../support/manual-clock.js";
import { testFolder } from "./support/folder.js";
import { copies, each, outcomes, people, school } from "./support/school.js";

describe("a lost response", () => {
  const LOST: readonly Fault[] = [
    { reset: true, applied: true },
    { reset: true },
    { status: 500, applied: true },
    { status: 502 },
    { status: 503, applied: true },
    { status: 504 },
    { cut: true, applied: true },
    { html: true },
    { delayMs: Number.POSITIVE_INFINITY, applied: true },
    { delayMs: Number.POSITIVE_INFINITY },
  ];
  test.each(
    drawCases(
      LOST.flatMap((fault) => [1, 2, 5].map((nth) => [fault, nth] as const)),
      8,
    ),
  )("neither repeats nor loses a create: %j, create %i", async (fault, nth) => {
    const at = testFolder();
    const { sandbox, client } = school();
    await plan(client.users, people(5), { to: at("a.plan"), key: "email" });
    const passed = Array.from({ length: nth - 1 }, () => ({ operation: "users.create" as const }));
    sandbox.faults.next(...passed, { ...fault, operation: "users.create" });
    const report = await apply(client, at("a.plan"));
    expect(report).toMatchObject({ created: 5, complete: true });
    expect(copies(sandbox)).toEqual(each(5));
  });

  test("to an update is replaced by reading the record", async () => {
    const at = testFolder();
    const { sandbox, client } = school();
    const rows = [1, 2, 3, 4].map((id) => ({ id, first_name: `Changed ${id}` }));
    await plan(client.users, rows, { to: at("a.plan"), key: "id" });
    sandbox.faults.next(
      { operation: "users.update", times: 3, status: 503, applied: true },
      { operation: "users.update", times: 2, status: 503 },
    );
    expect(await apply(client, at("a.plan"))).toMatchObject({ updated: 4, complete: true });
    expect(rows.map(({ id }) => sandbox.store.users.get(id)?.first_name)).toEqual(rows.map((row) => row.first_name));
  });
});

test("a create that is carried out late is found when the service refuses the second one", async () => {
  const at = testFolder();
  const { sandbox, client } = school();
  await plan(client.users, people(4), { to: at("a.plan"), key: "email" });
  sandbox.faults.next(
    { operation: "users.create" },
    { operation: "users.create", status: 503 },
    { operation: "users.create" },
    { operation: "users.create" },
    { operation: "users.create", errors: { email: ["is taken"] }, applied: true },
  );
  expect(await apply(client, at("a.plan"))).toMatchObject({ created: 4, complete: true });
  expect(copies(sandbox)).toEqual(each(4));
});

describe("a change between planning and applying", () => {
  test("makes the row stale only if it concerns a planned field", async () => {
    const at = testFolder();
    const { sandbox, client } = school();
    const rows = [1, 2, 3].map((id) => ({ id, first_name: `Changed ${id}`, middle_name: "of" }));
    await plan(client.users, rows, { to: at("a.plan"), key: "id" });
    sandbox.store.users.update(1, { first_name: "Somebody" });
    sandbox.store.users.update(2, { last_name: "Else" });
    expect(await apply(client, at("a.plan"))).toMatchObject({ updated: 2, stale: 1 });
    expect(sandbox.store.users.get(1)).toMatchObject({ first_name: "Somebody" });
    expect(sandbox.store.users.get(2)).toMatchObject({ first_name: "Changed 2", last_name: "Else" });
    for await (const { row, why } of rowsOf(at("a.plan"))) {
      if (row === 1) expect(why).toEqual([{ field: "first_name", message: "was changed after the plan was made" }]);
    }
  });

  test("that creates a record with the key of a create prevents the create if the first look shows it", async () => {
    const at = testFolder();
    const { client } = school();
    await plan(client.users, people(3), { to: at("a.plan"), key: "email" });
    await client.users.create({ email: "NEW-2@example.com", first_name: "A", last_name: "B" });
    expect(await apply(client, at("a.plan"))).toMatchObject({ created: 2, stale: 1 });
  });
});

test("a field that the service ignores is named, and the plan is not complete", async () => {
  const at = testFolder();
  const { sandbox, client } = school();
  const admin = [...sandbox.store.users].find(({ roles }) => roles.includes("admin"));
  const rows = [{ id: admin?.id, email: "other@example.com", middle_name: "of" }];
  await plan(client.users, rows, { to: at("a.plan"), key: "id" });
  expect(await apply(client, at("a.plan"))).toMatchObject({ updated: 1, differing: 1, complete: false });
  for await (const { differs } of rowsOf(at("a.plan"))) {
    expect(differs).toEqual({ email: ["other@example.com", admin?.email] });
  }
});

describe("an invalid plan", () => {
  const planPeople = async () => {
    const at = testFolder();
    const { sandbox, client } = school();
    const summary = await plan(client.users, people(3), { to: at("a.plan"), key: "email" });
    const refusal = async (of = client, confirm?: string) => {
      const sent = sandbox.requests.length;
      const error = await failure<BulkError>(apply(of, at("a.plan"), { confirm }));
      expect(sandbox.requests).toHaveLength(sent);
      expect(String(error.stack) + JSON.stringify(error)).not.toContain("new-1");
      return error.reason;
    };
    return { at, sandbox, client, summary, refusal };
  };

  test("that was edited by hand is refused", async () => {
    const { at, refusal } = await planPeople();
    const text = readFileSync(at("a.plan"), "utf8");
    writeFileSync(at("a.plan"), text.replace("Person 2", "Person X"));
    expect(await refusal()).toBe("other_plan");
  });

  test("that was cut off anywhere is refused", async () => {
    const { at, refusal } = await planPeople();
    const { length } = readFileSync(at("a.plan"));
    for (let size = length - 1; size >= 0; size -= 37) {
      truncateSync(at("a.plan"), size);
      expect(await refusal()).toBe("not_a_plan");
    }
  });

  test("with a line that no run has written after its end is refused", async () => {
    const { at, refusal, summary } = await planPeople();
    const text = readFileSync(at("a.plan"), "utf8");
    const lines = (...facts: object[]) => facts.map((fact) => `${factLine(fact as Fact, summary.digest)}\n`).join("");
    const made = [
      { row: 1, try: 1 },
      { row: 1, done: "created", id: 7 },
    ];
    const WRONG = [
      lines({ row: 9, try: 1 }),
      lines({ row: 9, done: "created", id: 7 }),
      lines({ row: 1, done: "created", id: 7 }),
      lines({ row: 1, done: "failed", status: 422 }, { row: 1, done: "unchanged" }),
      lines({ row: 1, confirmed: true }),
      lines({ row: 1 }),
      lines({ row: 1, try: "1" }),
      lines({ done: "created" }),
      lines({ row: 1, none: true }),
      // One line has no checksum, the other has the checksum of a different line.
      '{"row":1,"try":1}\n',
      lines({ row: 1, try: 1 }).replace('"try":1,', '"try":2,'),
      lines(...made, ...made),
      lines(...made, { row: 1, done: "created", id: 8 }),
      lines(...made, { row: 1, do: "create", send: {} }),
    ];
    for (const wrong of WRONG) {
      writeFileSync(at("a.plan"), `${text}${wrong}`);
      expect(await refusal(), wrong).toBe("not_a_plan");
    }
    for (const right of [lines(...made), lines(...made, { row: 1, confirmed: true })]) {
      writeFileSync(at("a.plan"), `${text}${right}`);
      expect(Object.keys(await outcomes(at("a.plan")))).toHaveLength(3);
    }
  });

  test("of another school, or without confirmation, is refused", async () => {
    const { client, refusal, summary } = await planPeople();
    expect(await refusal(school().client)).toBe("other_school");
    expect(await refusal(client, "00000000")).toBe("other_plan");
    expect(summary.digest).toMatch(/^[0-9a-f]{8}$/);
  });

  test("is refused if there is no plan at all", async () => {
    const { at, client } = await planPeople();
    writeFileSync(at("b.plan"), "name,email\nAda,ada@example.com\n");
    expect(await failure<BulkError>(apply(client, at("b.plan")))).toMatchObject({ reason: "not_a_plan" });
    expect(await failure<BulkError>(apply(client, at("c.plan")))).toMatchObject({ reason: "not_a_plan" });
  });
});

describe("an undo", () => {
  test("restores changed values, and keeps later changes by others", async () => {
    const at = testFolder();
    const { sandbox, client } = school();
    const before = [1, 2, 3].map((id) => ({ ...sandbox.store.users.get(id) }));
    const rows = [1, 2, 3].map((id) => ({ id, first_name: `Changed ${id}`, middle_name: "of" }));
    await plan(client.users, rows, { to: at("a.plan"), key: "id" });
    await apply(client, at("a.plan"));
    sandbox.store.users.update(3, { first_name: "Somebody" });
    expect(await undo(at("a.plan"), { to: at("back.plan") })).toMatchObject({ update: 3, read: 0 });
    expect(await apply(client, at("back.plan"))).toMatchObject({ updated: 2, stale: 1 });
    for (const id of [1, 2]) {
      const { updated_at: _, ...after } = { ...sandbox.store.users.get(id) };
      const { updated_at: __, ...wanted } = { ...before[id - 1] };
      expect(after).toMatchObject({ first_name: wanted.first_name, middle_name: wanted.middle_name });
    }
    expect(sandbox.store.users.get(3)?.first_name).toBe("Somebody");
  });

  test("reports the values it restored, not those of the file", async () => {
    const at = testFolder();
    const { sandbox, client } = school();
    const old = [1, 2].map((id) => sandbox.store.users.get(id)?.first_name);
    writeFileSync(at("rows.csv"), "Number;First name\n1;Changed 1\n2;Changed 2\n");
    const columns = { id: "Number", first_name: "First name" } as const;
    await plan(client.users, readCsv(at("rows.csv")), { to: at("a.plan"), key: "id", columns });
    await apply(client, at("a.plan"));
    await undo(at("a.plan"), { to: at("back.plan") });
    await apply(client, at("back.plan"));
    expect([1, 2].map((id) => sandbox.store.users.get(id)?.first_name)).toEqual(old);
    await writeReport(at("back.plan"), at("back.csv"));
    expect(readFileSync(at("back.csv"), "utf8").trimEnd().split("\r\n")).toEqual([
      "\ufefffirst_name;_row;_outcome;_id;_reason",
      `${old[0]};2;updated;1;`,
      `${old[1]};3;updated;2;`,
    ]);
    // Undoing the undo writes the values from the file again.
    await undo(at("back.plan"), { to: at("again.plan") });
    await apply(client, at("again.plan"));
    await writeReport(at("again.plan"), at("again.csv"));
    expect(readFileSync(at("again.csv"), "utf8")).toContain("\r\nChanged 1;2;updated;1;\r\n");
  });

  test("of creates deletes only if asked to, only unchanged records, and only if the service can delete them", async () => {
    const at = testFolder();
    const { sandbox, client } = school();
    const rows = ["A", "B"].map((name) => ({ name, model_type: "Lead" }));
    await plan(client.labels, rows, { to: at("a.plan"), key: ["name", "model_type"] });
    await apply(client, at("a.plan"));
    const made = [...sandbox.store.labels].filter(({ name }) => name === "A" || name === "B");
    expect(made).toHaveLength(2);
    expect(await undo(at("a.plan"), { to: at("kept.plan") })).toMatchObject({ update: 0, leave: 2 });
    sandbox.store.labels.update(made[0]?.id ?? 0, { name: "Renamed" });
    expect(await undo(at("a.plan"), { to: at("back.plan"), creates: "delete" })).toMatchObject({ delete: 2 });
    expect(await apply(client, at("back.plan"))).toMatchObject({ deleted: 1, stale: 1 });
    await plan(client.users, people(1), { to: at("users.plan"), key: "email" });
    await apply(client, at("users.plan"));
    expect(await undo(at("users.plan"), { to: at("no.plan"), creates: "delete" })).toMatchObject({ refuse: 1 });
    for await (const { why } of rowsOf(at("no.plan"))) {
      expect(why[0]?.message).toBe("cannot be undone: the service deletes no users");
    }
  });
});

test("a torn last line is cut off, and its content is determined again", async () => {
  const at = testFolder();
  const { sandbox, client } = school();
  await plan(client.users, people(3), { to: at("a.plan"), key: "email" });
  await apply(client, at("a.plan"));
  const text = readFileSync(at("a.plan"), "utf8");
  // Cuts off the line with the outcome of the last create.
  const lines = text.split("\n");
  const last = lines.findLastIndex((line) => line.includes('"done":"created"'));
  writeFileSync(at("a.plan"), `${lines.slice(0, last).join("\n")}\n`);
  appendFileSync(at("a.plan"), (lines[last] ?? "").slice(0, 20));
  expect(await apply(client, at("a.plan"))).toMatchObject({ created: 3, complete: true });
  expect(copies(sandbox)).toEqual(each(3));
  expect(Object.values(await outcomes(at("a.plan")))).toEqual(["created", "created", "created"]);
});
