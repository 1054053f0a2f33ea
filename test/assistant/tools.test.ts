import { describe, expect, test } from "vitest";
import { tokensOf } from "../../src/assistant/tokens.js";
import { AdminClient, MainClient, OrganizationClient } from "../../src/index.js";
import { allOperations } from "../../src/operations.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { amount } from "../support/amount.js";
import { options } from "../support/clients.js";
import { definition, sandbox, sandboxOptions, school, toolsOf } from "./support.js";

test("the definitions of the tools cost at most 500 tokens, or 700 with plan", () => {
  expect(tokensOf(definition("read"))).toBeLessThanOrEqual(500);
  expect(tokensOf(definition("plan"))).toBeLessThanOrEqual(700);
});

describe("describe", () => {
  test("lists every operation of the tools in two calls", async () => {
    for (const [client, own] of [
      [new MainClient(options()), ["main", "organization"]],
      [new AdminClient(options()), ["admin", "organization"]],
      [new OrganizationClient(options()), ["organization"]],
    ] as const) {
      const { describe: ask } = toolsOf(client, { maxTokens: 2_000 });
      const map = (await ask?.())?.text ?? "";
      for (const { id, apis } of allOperations) {
        if (!apis.some((api) => (own as readonly string[]).includes(api))) continue;
        const at = id.lastIndexOf(".");
        expect(map).toMatch(new RegExp(`\\b${id.slice(0, at).replace(".", "\\.")}\\b`));
        const about = (await ask?.({ resource: id.slice(0, at), about: "operations" }))?.text ?? "";
        expect(about).toMatch(new RegExp(`^- ${id.slice(at + 1)}\\b`, "m"));
      }
    }
  });

  test("shows filters, scopes, fields, hidden fields, and the fields of the school", async () => {
    const { describe: ask } = school({ show: ["names"] });
    const { text = "" } = (await ask?.({ resource: "users" })) ?? {};
    expect(text).toContain("- list (relations:read)");
    expect(text).toContain("- create [writes] (relations:modify)");
    expect((await ask?.({ resource: "tasks", about: "operations" }))?.text).toContain("- list (any key)");
    expect(text).toMatch(/^- role: /m);
    expect(text).toMatch(/^- first_name: text$/m);
    expect(text).toMatch(/^- email: text \[contact, hidden\]$/m);
    expect(text).toMatch(/^- custom\.shoe_size: text, Shoe size$/m);
  });
});

describe("read", () => {
  test("returns rows with the requested fields, a single record, and joined records", async () => {
    const { read } = school({ show: ["names", "contact"] });
    const client = new MainClient(sandbox);
    const user = await client.users.get(7);
    expect(await read?.({ from: "users", id: 7, fields: ["id", "email"] })).toMatchObject({ rows: [[7, user.email]] });
    const enrollment = await client.enrollments.list().with({ student: true }).first();
    const [first] = enrollment.records;
    const answer = await read?.({
      from: "enrollments",
      limit: 1,
      with: ["student"],
      fields: ["id", "student.last_name"],
    });
    expect(answer?.rows).toEqual([[first?.id, first?.student?.last_name]]);
  });

  test("continues at the row where it ended, even in the middle of a page, and misses nothing", async () => {
    const { read } = school({ maxTokens: 300 });
    const ids: unknown[] = [];
    let answer = await read?.({ from: "accounts", limit: 40, fields: ["id", "created_at", "updated_at"] });
    for (let calls = 0; answer && calls < 60 && ids.length < 120; calls++) {
      expect(tokensOf(answer.text)).toBeLessThanOrEqual(300);
      ids.push(...answer.rows.map(([id]) => id));
      if (answer.cursor === undefined) break;
      answer = await read?.({ cursor: answer.cursor });
    }
    const expected = new MainClient(sandbox).accounts.list().take(ids.length);
    const all: number[] = [];
    for await (const { id } of expected) all.push(id);
    expect(ids.length).toBeGreaterThan(100);
    expect(ids).toEqual(all);
  });

  test("accepts arguments that a client has encoded as JSON once or twice", async () => {
    const { read } = school();
    const plain = await read?.({ from: "users", limit: 2, fields: ["id", "roles"], where: { role: "teacher" } });
    const input = { from: "users", limit: "2", fields: '["id","roles"]', where: '{"role":"teacher"}' };
    for (const written of [input, JSON.stringify(input), JSON.stringify(JSON.stringify(input))]) {
      expect((await read?.(written))?.rows).toEqual(plain?.rows);
    }
    expect((await read?.({ ...input, fields: "id, roles" }))?.rows).toEqual(plain?.rows);
  });

  test.each([
    [{ from: "user" }, 'did you mean "users"?'],
    [{ from: "users", where: { roll: "teacher" } }, 'did you mean "role"?'],
    [{ from: "users", fields: ["first_nam"] }, 'did you mean "first_name"?'],
    [{ from: "users", where: { role: { a: 1 } } }, "users.list"],
    [{ from: "users", with: ["courses"] }, "cannot be read with"],
    [{ from: "users.create" }, "only read"],
    [{ from: "meetings.listForPlannedCourse" }, "planned_course_id in where"],
    [{ from: "users", limit: 101 }, "1 to 100"],
    [{ from: "users", id: "../../x" }, "identifier"],
    [{ fro: "users" }, 'did you mean "from"?'],
    [{ cursor: "c99" }, "cursor"],
    [{}, '"from" is missing'],
    [[1], "object"],
    ["{", "object"],
  ])("refuses %j and says what to do instead", async (input, hint) => {
    const answer = await school().read?.(input);
    expect(answer?.error).toContain(hint);
  });
});

test("refuses a filter of thousands of values before anything is sent", async () => {
  const id = Array.from({ length: 5_000 }, (_, at) => at + 1);
  const circular: Record<string, unknown> = {};
  circular.id = circular;
  for (const where of [{ id }, JSON.stringify({ id }), circular]) {
    const { read, count } = school();
    for (const ask of [read, count]) {
      const answer = await ask?.({ from: "courses", where });
      expect(answer?.error).toBe("the argument where must be an object of at most 4000 characters as JSON");
      expect(answer?.requests_left).toBe(100);
    }
  }
});

test("a text of more than 2,000 characters is refused before anything is sent", async () => {
  for (const having of [`name contains ${"x".repeat(2_000)}`, "(".repeat(2_001)]) {
    const answer = await school().count?.({ from: "courses", having });
    expect(answer).toMatchObject({ error: expect.stringContaining("having"), requests_left: 100 });
  }
});

describe("count", () => {
  test("counts in one request if the service returns the total", async () => {
    const { count } = school();
    const all = await new MainClient(sandbox).users.list().toArray();
    expect(await count?.({ from: "users" })).toMatchObject({ requests_left: 99, count: all.length, complete: true });
  });

  test("groups and adds up amounts to the exact cent", async () => {
    const { count } = school();
    const answer = await count?.({ from: "invoices", by: "status", sum: "total_incl" });
    const cents = new Map<string, bigint>();
    for await (const { status, currency, total_incl } of new MainClient(sandbox).invoices.list()) {
      const name = `${status} ${currency}`;
      cents.set(name, (cents.get(name) ?? 0n) + BigInt(total_incl.replace(".", "")));
    }
    const sums = answer?.rows.flatMap(([status, , sum]) =>
      Object.entries(sum as Record<string, string>).map(([currency, one]): [string, bigint] => [
        `${status} ${currency}`,
        BigInt(one.replace(".", "")),
      ]),
    );
    expect(new Map(sums)).toEqual(cents);
    expect(new Set([...cents.keys()].map((name) => name.split(" ")[1])).size).toBeGreaterThan(1);
    expect(answer?.complete).toBe(true);
  });

  test("adds up amounts of one currency, and names it", async () => {
    const answer = await school().count?.({ from: "invoices", having: "currency=EUR", sum: "total_incl" });
    expect(answer).toMatchObject({
      currency: "EUR",
      sum_total_incl: expect.stringMatching(/^\d+\.\d\d$/),
      complete: true,
    });
  });

  test("shows the group with the largest sum first, and refuses to add up values of a list", async () => {
    const { count } = school();
    const answer = await count?.({ from: "invoices", by: "account_id", sum: "total_incl", having: "currency=EUR" });
    const sums = answer?.rows.map(([, , sum]) => Number(sum)) ?? [];
    expect(sums.length).toBeGreaterThan(2);
    expect(sums).toEqual([...sums].sort((a, b) => b - a));
    expect((await count?.({ from: "invoices", sum: "payments.amount" }))?.error).toContain("holds a list");
  });

  test("says how many records add nothing to a sum, and refuses to add up a record that others share", async () => {
    const own = createSandbox({ size: "small", rateLimit: false });
    const all = [...own.store.plannedCourses];
    for (const { id } of all.slice(3)) own.store.plannedCourses.update(id, { max_participants: null });
    for (const { id } of all.slice(0, 3)) own.store.plannedCourses.update(id, { max_participants: 8 });
    const { count, read } = toolsOf(new MainClient(own));
    const answer = await count?.({ from: "plannedCourses", sum: "max_participants" });
    expect(answer).toMatchObject({ count: all.length, sum_max_participants: "24" });
    expect(answer?.note).toContain(`${all.length - 3} of the ${all.length} counted records have no max_participants`);
    const none = await count?.({ from: "plannedCourses", sum: "max_participants", having: "max_participants=null" });
    expect(none).toMatchObject({ sum_max_participants: null });
    const shared = await count?.({ from: "enrollments", with: ["order"], sum: "order.total_cost_incl" });
    expect(shared?.error).toContain("is in a joined record");
    expect((await read?.({ from: "plannedCourses" }))?.note).toContain("There may be more fields");
    expect((await read?.({ from: "plannedCourses", fields: ["id"] }))?.note).toBeUndefined();
  });

  test("groups times by the days and months of the school's time zone, and names the zone", async () => {
    const own = createSandbox({ size: "small", rateLimit: false });
    // In Amsterdam this is half past midnight on 1 April 2031.
    own.store.invoices.update(2, { created_at: "2031-03-31T22:30:00.000Z" });
    own.store.invoices.update(3, { created_at: "2031-03-31T21:59:59.999Z" });
    const { count } = toolsOf(new MainClient(own));
    const months = await count?.({ from: "invoices", by: "created_at:month" });
    expect(months?.zone).toBe("Europe/Amsterdam");
    expect(months?.rows).toContainEqual(["2031-04", 1]);
    expect(months?.rows).toContainEqual(["2031-03", 1]);
    expect(await count?.({ from: "invoices", having: "created_at>=2031-04-01" })).toMatchObject({ count: 1 });
    expect(await count?.({ from: "invoices", having: "created_at>=2031-03-31" })).toMatchObject({ count: 2 });
    const refused = toolsOf(
      new MainClient({
        ...options(),
        ...own,
        fetch: async (url, init) =>
          String(url).includes("educators") ? new Response("{}", { status: 403 }) : own.fetch(url, init),
      }),
    );
    const utc = await refused.count?.({ from: "invoices", by: "created_at:month" });
    expect(utc).toMatchObject({ zone: "UTC" });
    expect(utc?.rows).toContainEqual(["2031-03", 2]);
  });

  test("says which part it has not read when the requests are used up, and sends no more", async () => {
    const { count } = school({ requests: 3 });
    const answer = await count?.({ from: "invoices", by: "status" });
    expect(answer).toMatchObject({ complete: false, requests_left: 0, count: 300 });
    expect(answer?.unread).toContain("reached its limit of requests after 300 records");
  });

  test("refuses to group or add up hidden fields", async () => {
    const { count } = school();
    expect((await count?.({ from: "users", by: "email" }))?.error).toContain("hidden");
    expect((await count?.({ from: "users", by: "address.city" }))?.error).toContain("hidden");
    expect((await count?.({ from: "users", sum: "custom.size" }))?.error).toContain("hidden");
  });
});

describe("budgets", () => {
  test("never send more requests than allowed, whatever the question", async () => {
    const sent: string[] = [];
    const fetch: typeof sandbox.fetch = (url, init) => {
      sent.push(init?.method ?? "GET");
      return sandbox.fetch(url, init);
    };
    const client = new MainClient({ ...options(), ...sandboxOptions(), fetch });
    const { read, count } = toolsOf(client, { requests: 7 });
    const asked = [
      read?.({ from: "enrollments", limit: 100, with: ["student", "planned_course"] }),
      count?.({ from: "invoices", by: "status" }),
      count?.({ from: "users", by: "locale" }),
      read?.({ from: "accounts" }),
    ];
    await Promise.all(asked);
    const last = await read?.({ from: "accounts" });
    expect(sent.length).toBeLessThanOrEqual(7);
    expect(last).toMatchObject({ code: "budget", requests_left: 0 });
  });

  test("send no more than allowed even to a service that keeps failing", async () => {
    let sent = 0;
    const fetch = async () => {
      sent++;
      return new Response("{}", { status: 503, headers: { "content-type": "application/json" } });
    };
    const { read } = toolsOf(new MainClient(options({ fetch })), { requests: 4 });
    for (let calls = 0; calls < 5; calls++) expect(await read?.({ from: "users" })).toHaveProperty("error");
    expect(sent).toBe(4);
  });

  test.each([
    ["texts of 10,000 characters", { description: "x".repeat(10_000) }],
    ["texts in another script", { description: "школа ".repeat(2_000) }],
    ["signs", { description: '"\\/{}[]'.repeat(1_500) }],
  ])("keep every result within maxTokens: %s", async (_, course) => {
    const record = { id: 1, name: course.description, website_url: course.description };
    const body = JSON.stringify(Array.from({ length: 30 }, (__, id) => ({ ...record, id })));
    const fetch = async () => new Response(body, { headers: { "content-type": "application/json" } });
    const client = new MainClient(options({ fetch, validation: "off" }));
    for (const maxTokens of [300, 2_000].slice(0, amount(1, 2))) {
      const { read, count } = toolsOf(client, { maxTokens });
      const answers = [
        await read?.({ from: "courses", limit: 100, fields: ["id", "name", "website_url"] }),
        await read?.({ from: "courses", limit: 100, fields: Array.from({ length: 100 }, () => "name") }),
        await count?.({ from: "courses", by: "name" }),
        await count?.({ from: "courses", by: "id" }),
      ];
      for (const answer of answers) expect(tokensOf(answer?.text ?? "")).toBeLessThanOrEqual(maxTokens);
      expect(answers[0]?.rows.length).toBeGreaterThan(0);
    }
  });

  test("show the largest of 1,000 groups, and the number of the others", async () => {
    const records = Array.from({ length: 1_000 }, (_, id) => ({ id, name: `course ${id}` }));
    const fetch = async () => Response.json(records);
    const { count } = toolsOf(new MainClient(options({ fetch, validation: "off" })));
    const answer = await count?.({ from: "courses", by: "name" });
    expect(tokensOf(answer?.text ?? "")).toBeLessThanOrEqual(2_000);
    expect(Number(answer?.groups_left_out) + (answer?.rows.length ?? 0)).toBe(1_000);
  });
});

describe("having", () => {
  test("finds people by a shown name anywhere in the list, and continues after the rows that fit", async () => {
    const { read } = school({ show: ["names"] });
    const users = await new MainClient(sandbox).users.list().toArray();
    const wanted = users.filter(({ last_name }) => last_name.toLowerCase().includes("an")).map(({ id }) => id);
    const input = { from: "users", having: "last_name contains AN", fields: ["id"], limit: 7 };
    const ids: unknown[] = [];
    let answer = await read?.(input);
    for (let calls = 0; calls < 50 && answer; calls++) {
      ids.push(...answer.rows.map(([id]) => id));
      expect(answer.complete).toBe(answer.cursor === undefined);
      if (answer.cursor === undefined) break;
      answer = await read?.({ cursor: answer.cursor });
    }
    expect(wanted.length).toBeGreaterThan(7);
    expect(ids).toEqual(wanted);
  });

  test("tests joined records, and counts the matching ones", async () => {
    const { read, count } = school({ show: ["names"] });
    const client = new MainClient(sandbox);
    const open = (await client.invoices.list().toArray()).filter(({ total_open }) => Number(total_open) > 0);
    expect(await count?.({ from: "invoices", having: "total_open>0" })).toMatchObject({
      count: open.length,
      complete: true,
    });
    const enrollments = await client.enrollments.list().with({ student: true }).toArray();
    const name = enrollments.at(-1)?.student?.last_name;
    const answer = await read?.({
      from: "enrollments",
      with: ["student"],
      having: `student.last_name="${name}"`,
      fields: ["id"],
      limit: 100,
    });
    expect(answer?.rows).toEqual(
      enrollments.filter(({ student }) => student?.last_name === name).map(({ id }) => [id]),
    );
  });

  test("says which part it has not read when the requests are used up", async () => {
    const { read, count } = school({ requests: 2 });
    expect(await read?.({ from: "invoices", having: "id<0" })).toMatchObject({
      rows: [],
      complete: false,
      unread: expect.stringContaining("after 200"),
    });
    expect(await school({ requests: 2 }).count?.({ from: "invoices", having: "id>0" })).toMatchObject({
      count: 200,
      complete: false,
    });
    expect(count).toBeDefined();
  });

  test.each([
    ["invoices", "total_open is large", "is not a condition"],
    ["plannedCourses", "start_date=01-07-2025", "write the day 01-07-2025 as yyyy-MM-dd"],
    ["invoices", "status=payed", "is not one of"],
    ["invoices", "totl_open>0", 'did you mean "total_open"'],
    ["users", "email=x", "hidden (contact)"],
  ])("with %s refuses %s", async (from, having, hint) => {
    for (const tool of ["read", "count"] as const) {
      const answer = await school()[tool]?.({ from, having });
      expect(answer?.error).toContain(hint);
      expect(answer?.requests_left).toBe(100);
    }
  });
});
