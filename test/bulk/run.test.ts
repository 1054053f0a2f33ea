import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { type RunOptions, readCsv, rowsOf, run } from "../../src/bulk/node.js";
import type { Users } from "../../src/index.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { failure } from "../support/manual-clock.js";
import { testFolder } from "./support/folder.js";
import { connection, copies, each, people, renaming, school } from "./support/school.js";

function night() {
  const at = testFolder();
  const { sandbox, client } = school();
  const options: RunOptions<Users> = { to: at("a.plan"), key: "email", report: at("a.csv") };
  const names = () => readdirSync(at(".")).sort();
  /** A client whose process dies in the write with this number: it gets no response and its run is aborted. */
  const dying = (write: number) => {
    let left = write;
    const dead = new AbortController();
    const fetch: typeof sandbox.fetch = async (input, init) => {
      const response = await sandbox.fetch(input, init);
      if (init?.method !== "GET" && --left === 0) {
        dead.abort(new Error("killed"));
        throw new Error("killed");
      }
      return response;
    };
    const users = new MainClient({ ...connection(sandbox), fetch, retry: { limit: 0 } }).users;
    return { users, signal: dead.signal };
  };
  return { at, sandbox, client, options, names, dying };
}

test("one call plans and applies; each further call plans anew and keeps the earlier plans", async () => {
  const { at, client, sandbox, options, names } = night();
  const first = await run(client.users, people(3), options);
  expect(first).toMatchObject({ created: 3, complete: true, open: 0, earlier: null });
  expect(first.plan).toMatch(/a\.plan\.\d{4}-\d\d-\d\d\.[0-9a-f]{8}$/);
  expect(names()).toEqual(["a.csv", basename(first.plan), "a.plan.memory"]);
  expect(readFileSync(at("a.csv"), "utf8").split("\r\n")[1]).toMatch(/^new-1@example.com,New,Person 1,1,created,\d+,$/);

  // The rows are compared with the school's current records.
  const [made] = [...sandbox.store.users].filter(({ email }) => email === "new-1@example.com");
  await client.users.update(made?.id ?? 0, { first_name: "Else" });
  const again = await run(client.users, people(4), options);
  expect(again).toMatchObject({ created: 1, updated: 1, complete: true });
  expect(await run(client.users, people(4), options)).toMatchObject({ unchanged: 4, requests: 1, plan: at("a.plan") });
  expect(await run(client.users, people(5), options)).toMatchObject({ created: 1, unchanged: 4 });
  expect(copies(sandbox)).toEqual(each(5));
  expect(names().filter((name) => name.startsWith("a.plan.2"))).toHaveLength(3);
});

test("an interrupted run is continued with the same rows, and reported as a whole", async () => {
  for (const write of [1, 2, 4]) {
    const { at, client, sandbox, options, dying } = night();
    const { users, signal } = dying(write);
    await failure(run(users, people(4), { ...options, signal }));
    expect(existsSync(at("a.plan")), "the plan exists").toBe(true);
    const report = await run(client.users, people(4), options);
    expect(report).toMatchObject({ created: 4, complete: true, earlier: null });
    expect(copies(sandbox)).toEqual(each(4));
    expect(existsSync(at("a.plan")), "the plan exists").toBe(false);
    expect(readFileSync(at("a.csv"), "utf8").match(/,created,/g)).toHaveLength(4);
  }
});

test("an interrupted run of other rows is finished first, with its own report", async () => {
  const { at, client, sandbox, options, dying, names } = night();
  const { users, signal } = dying(2);
  await failure(run(users, people(4), { ...options, signal }));
  const report = await run(client.users, people(3, 4), options);
  expect(report).toMatchObject({ created: 2, unchanged: 1, complete: true });
  expect(report.earlier).toMatchObject({ created: 4, complete: true });
  expect(copies(sandbox)).toEqual(each(6));
  expect(names().filter((name) => /^a\.\d{4}-\d\d-\d\d\.[0-9a-f]{8}\.csv$/.test(name))).toHaveLength(1);
  const kept: unknown[] = [];
  for await (const { outcome } of rowsOf(report.earlier?.plan ?? "")) kept.push(outcome);
  expect(kept).toEqual(Array(4).fill("created"));
  expect(at("a.plan")).not.toBe(report.plan);
});

test("rows that cannot be read end the run after an interrupted run has been finished", async () => {
  const { at, client, sandbox, options, dying } = night();
  writeFileSync(
    at("rows.csv"),
    "email,first_name,last_name\nnew-1@example.com,New,Person 1\nnew-2@example.com,New,P\n",
  );
  const { users, signal } = dying(1);
  await failure(run(users, readCsv(at("rows.csv")), { ...options, signal }));
  writeFileSync(at("rows.csv"), "");
  const error = await failure(run(client.users, readCsv(at("rows.csv")), options));
  expect(error.message).toContain("is empty");
  expect(copies(sandbox)).toEqual(each(2));
});

test.each([3, 4])("rows that can be iterated only once are also compared and planned: 3, then %i", async (count) => {
  const { client, sandbox, options, dying } = night();
  function* once(rows: number) {
    yield* people(rows);
  }
  const { users, signal } = dying(2);
  await failure(run(users, once(3), { ...options, signal }));
  const { created, earlier } = await run(client.users, once(count), options);
  expect([earlier?.created, created]).toEqual(count === 3 ? [undefined, 3] : [3, 1]);
  expect(copies(sandbox)).toEqual(each(count));
});

test("a list of a client as rows is read anew after an interrupted run, not as its first page", async () => {
  const { client, sandbox, options, dying } = night();
  const source = createSandbox({ empty: true });
  for (const { email, first_name, last_name } of people(3))
    source.store.users.insert({ email, first_name, last_name } as never);
  const rows = () => new MainClient(source).users.list();
  const columns = { email: "email", first_name: "first_name", last_name: "last_name" } as const;
  const { users, signal } = dying(2);
  await failure(run(users, rows(), { ...options, columns, signal }));
  expect(await run(client.users, rows(), { ...options, columns })).toMatchObject({ created: 3, complete: true });
  expect(copies(sandbox)).toEqual(each(3));
});

test("each plan needs a confirmation, and an unconfirmed plan sends nothing", async () => {
  const { client, sandbox, options, dying } = night();
  const asked: string[] = [];
  const no = (summary: { readonly create: number }, plan: string) => {
    asked.push(`${plan} ${summary.create}`);
    return false;
  };
  const shown = await run(client.users, people(2), { ...options, confirm: no });
  expect(shown).toMatchObject({ created: 0, open: 2, complete: false, requests: 1, plan: options.to });
  expect(asked).toEqual([`${options.to} 2`]);
  expect(copies(sandbox)).toEqual({});

  const { digest } = shown;
  const other = await failure(run(client.users, people(3), { ...options, confirm: digest }));
  expect(other.message).toContain("was made from other rows or options");
  expect(await failure(run(client.users, people(2), { ...options, confirm: "00000000" }))).toMatchObject({
    code: "bulk",
    reason: "other_plan",
  });
  expect(copies(sandbox)).toEqual({});

  // The run is interrupted, started again with the same digest, and then started once more after it has finished.
  const { users, signal } = dying(1);
  await failure(run(users, people(2), { ...options, confirm: digest, signal }));
  const report = await run(client.users, people(2), { ...options, confirm: digest });
  expect(report).toMatchObject({ created: 2, digest, complete: true });
  const twice = await run(client.users, people(2), { ...options, confirm: digest });
  expect(twice).toMatchObject({ created: 2, digest, requests: 0, plan: report.plan });
  const added = await failure(run(client.users, people(3), { ...options, confirm: digest }));
  expect(added.message).toMatch(/is finished, and kept as .*\. The rows have changed since it was made/);
  const none = await failure(run(client.users, people(2), { ...options, confirm: "00000000" }));
  expect(none.message).toContain("does not exist, so there is no plan to confirm");
  expect(copies(sandbox)).toEqual(each(2));
});

test("a confirmed plan that was started is finished even if the rows have changed, and the report says so", async () => {
  const { client, sandbox, options, dying } = night();
  const { digest } = await run(client.users, people(2), { ...options, confirm: () => false });
  const { users, signal } = dying(1);
  await failure(run(users, people(2), { ...options, confirm: digest, signal }));
  const error = await failure(run(client.users, people(3), { ...options, confirm: digest }));
  expect(error).toMatchObject({ code: "bulk", reason: "other_plan" });
  expect(error.message).toMatch(/is finished, and kept as .*\. The rows have changed since it was made/);
  expect(copies(sandbox)).toEqual(each(2));
});

test("the second of two simultaneous runs is refused, and an interrupted run does not block the next one", async () => {
  const { client, sandbox, options } = night();
  const both = await Promise.allSettled([run(client.users, people(3), options), run(client.users, people(3), options)]);
  const failed = both.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
  expect(failed.map(({ reason }) => reason.reason)).toEqual(["in_use"]);
  expect(copies(sandbox)).toEqual(each(3));
});

test("a create that may have been carried out is not planned again by a later run", async () => {
  const { at, client, sandbox, options } = night();
  const odd = renaming(sandbox, "new-2@", "n2@");
  expect(await run(odd.users, people(3), options)).toMatchObject({ created: 2, unknown: 1, plan: options.to });
  // This run looks for the row once more; later nights continue with the other rows.
  const second = await run(odd.users, people(4), options);
  expect(second).toMatchObject({ created: 1, unchanged: 2, refused: 1, earlier: { created: 2, unknown: 1 } });
  const open = basename(second.earlier?.plan ?? "");
  const digest = open.slice(-8);
  const asked = await run(client.users, people(3), { ...options, confirm: digest });
  expect(asked).toMatchObject({ created: 2, unknown: 1, requests: 0, plan: at(open) });
  const countCreates = () => sandbox.calls("users.create").length;
  const before = countCreates();
  const night3 = await run(client.users, people(4), options);
  expect(night3).toMatchObject({ unchanged: 3, refused: 1, complete: false });
  for await (const { row, why } of rowsOf(night3.plan)) {
    if (row === 2) expect(why[0]?.message).toContain(`by row 2 of ${open}, under another key`);
  }
  expect(countCreates()).toBe(before);
  // A person has checked the record and corrected its key.
  const [found] = [...sandbox.store.users].filter(({ email }) => email.startsWith("n2@"));
  await client.users.update(found?.id ?? 0, { email: "new-2@example.com" });
  expect(await run(client.users, people(4), options)).toMatchObject({ unchanged: 4, complete: true });
  expect(copies(sandbox)).toEqual(each(4));
});

test("a plan with rows in doubt stays until someone confirms that their records are looked for", async () => {
  const { client, sandbox, options, names } = night();
  const first = await run(renaming(sandbox, "new-2@", "n2@").users, people(3), options);
  for (const rows of [people(3), people(4)]) {
    const shown = await run(client.users, rows, { ...options, confirm: () => false });
    expect(shown).toMatchObject({ unknown: 1, plan: options.to, digest: first.digest });
    expect(names().filter((name) => name.startsWith("a.plan"))).toEqual(["a.plan"]);
  }
  const sent = sandbox.requests.length;
  const looked = await run(client.users, people(3), { ...options, confirm: first.digest });
  expect(looked).toMatchObject({ created: 2, unknown: 1, plan: expect.stringContaining(first.digest) });
  expect(sandbox.requests.slice(sent).map(({ method }) => method)).toContain("GET");
});

test("a create whose key the service rewrites is not planned again by a later run", async () => {
  const { client, sandbox, options } = night();
  const fetch: typeof sandbox.fetch = async (input, init) =>
    init?.method === "POST"
      ? sandbox.fetch(input, { ...init, body: String(init.body).replace("new-2@", "n2@") })
      : sandbox.fetch(input, init);
  const odd = new MainClient({ ...connection(sandbox), fetch });
  const first = await run(odd.users, people(3), options);
  expect(first).toMatchObject({ created: 3, differing: 1, complete: false });
  const [record] = [...sandbox.store.users].filter(({ email }) => email.startsWith("n2@"));
  for (let nights = 0; nights < 3; nights++) {
    const later = await run(odd.users, people(3), options);
    expect(later).toMatchObject({ unchanged: 2, refused: 1, created: 0, complete: false });
    for await (const { row, why } of rowsOf(later.plan)) {
      const message = `record ${record?.id} was created by row 2 of ${basename(first.plan)}, and the service may store its key in another form`;
      if (row === 2) expect(why[0]?.message).toContain(message);
    }
  }
  expect(sandbox.calls("users.create")).toHaveLength(3);
  // The row now has the key as the service stores it, so the row finds its record.
  const rows = people(3).map((row) => ({ ...row, email: row.email.replace("new-2@", "n2@") }));
  expect(await run(client.users, rows, options)).toMatchObject({ unchanged: 3, complete: true });
});

test("an unfinished plan of another resource is never forgotten", async () => {
  const { client, options, dying } = night();
  const { users, signal } = dying(1);
  await failure(run(users, people(2), { ...options, signal }));
  const labels = [{ name: "New", model_type: "Lead" as const }];
  const error = await failure(run(client.labels, labels, { to: options.to, key: ["name", "model_type"] }));
  expect(error.message).toContain("a plan of users that is not finished: apply it first");
});

test("invalid options are refused before anything is read", async () => {
  const { client, sandbox, options, at } = night();
  const wrong: readonly (readonly [object, string])[] = [
    [{ to: 7 }, "to must be the name of a file"],
    [{ confirm: 7 }, "confirm must be a function, or the digest of a plan"],
    [{ report: 7 }, "report must be the name of a file"],
    [{ report: options.to }, "report must be the name of a file other than the plan"],
    [{ shar: 1 }, "shar"],
    [{ keep: 0 }, "keep must be a whole number from 1 to 366"],
    [{ to: at("none/a.plan") }, `cannot be written; the folder ${at("none")} does not exist`],
  ];
  for (const [option, message] of wrong) {
    const error = await failure(run(client.users, people(1), { ...options, ...option } as typeof options));
    expect(error.message).toContain(message);
    expect(error).toMatchObject({ code: "input" });
  }
  expect(sandbox.requests).toHaveLength(0);
});

test.each([
  [{ quotes: "straightened" }, "O’Neill", "O'Neill"],
  [{ blanks: "folded" }, "Van  Dam", "Van Dam"],
  [{ unicode: "NFKC" }, "Ra\uFB03n", "Raffin"],
] as const)(
  "a text that the service stores in another form (%j) is sent once, and again only if someone has changed it",
  async (manners, ours, theirs) => {
    const at = testFolder();
    const users = [{ email: "was-there@example.com", first_name: "New", last_name: theirs }];
    const sandbox = createSandbox({ empty: true, skipWaits: true, manners, data: { users } });
    const client = new MainClient(sandbox);
    const rows = [...people(1), ...users].map((row) => ({ ...row, last_name: ours }));
    const writes = () => sandbox.requests.filter(({ method }) => method !== "GET").length;
    const night = () => run(client.users, rows, { to: at("a.plan"), key: "email", report: at("a.csv") });
    expect(await night()).toMatchObject({ created: 1, updated: 1, differing: 2, complete: false });
    for (const _ of [2, 3, 4]) expect(await night()).toMatchObject({ unchanged: 2, differing: 0, complete: true });
    expect(writes()).toBe(2);
    expect(readFileSync(at("a.csv"), "utf8")).toContain(
      'unchanged,1,"last_name is stored by the service in another form, so it is not sent again"',
    );

    // A colleague's change is overwritten even if it differs from the row only in form.
    sandbox.store.users.update(1, { last_name: theirs.toUpperCase() });
    expect(await night()).toMatchObject({ updated: 1, unchanged: 1 });
    rows[1] = { email: "was-there@example.com", first_name: "Other", last_name: ours };
    expect(await night()).toMatchObject({ updated: 1, differing: 0, complete: true });
    expect(writes()).toBe(4);
  },
);

test("a change that the service ignores is sent every night", async () => {
  const { client, sandbox, options } = night();
  const fetch: typeof sandbox.fetch = (input, init) =>
    sandbox.fetch(input, init?.method === "PUT" ? { ...init, body: String(init.body).replace("Wanted", "New") } : init);
  const { users } = new MainClient({ ...connection(sandbox), fetch });
  await run(client.users, people(1), options);
  for (const _ of [2, 3])
    expect(await run(users, [{ ...people(1)[0], first_name: "Wanted" }], options)).toMatchObject({
      ignored: 1,
      complete: false,
    });
});
