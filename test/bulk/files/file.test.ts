import { appendFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { plan, readCsv, rowsOf, run } from "../../../src/bulk/node.js";
import { MainClient } from "../../../src/index.js";
import { createSandbox } from "../../../src/sandbox/index.js";
import { failure } from "../../support/manual-clock.js";
import { testFolder } from "../support/folder.js";

const HEAD = "email,first_name,last_name";
const line = (at: number) => `student${at}@example.com,Name${at},Surname${at}`;
const csv = (rows: readonly string[]) => `${HEAD}\n${rows.join("\n")}${rows.length > 0 ? "\n" : ""}`;
const lines = (count: number, from = 1) => Array.from({ length: count }, (_, at) => line(from + at));

test.each([
  ["written anew", (path: string, all: string[]) => writeFileSync(path, csv([...all].reverse()))],
  ["added to", (path: string) => appendFileSync(path, `${line(7000)}\n`)],
])("a file that is %s while the service is read is refused, and no plan is made of it", async (_, change) => {
  const at = testFolder();
  const sandbox = createSandbox({ size: "small", skipWaits: true });
  // The file is longer than what a stream reads ahead. If all rows had been read before the change, they would be
  // planned with their old values.
  const all = lines(1_000).map((each) => each + "x".repeat(250));
  writeFileSync(at("a.csv"), csv(all));
  let isChanged = false;
  const fetch: typeof sandbox.fetch = (...given) => {
    if (!isChanged) change(at("a.csv"), all);
    isChanged = true;
    return sandbox.fetch(...given);
  };
  const client = new MainClient({ ...sandbox, fetch });
  const error = await failure(plan(client.users, readCsv(at("a.csv")), { to: at("a.plan"), key: "email" }));
  expect(error.message).toContain("was changed while it was read. Nothing was planned");
  await expect(rowsOf(at("a.plan"))[Symbol.asyncIterator]().next()).rejects.toThrow("there is no such file");
});

test("an error at the end of a file is reported before any request", async () => {
  const at = testFolder();
  const sandbox = createSandbox({ size: "small", skipWaits: true });
  writeFileSync(at("a.csv"), Buffer.concat([Buffer.from(csv(lines(2_500))), Buffer.from([0x61, 0xff, 0x0a])]));
  const given = plan(new MainClient(sandbox).users, readCsv(at("a.csv")), { to: at("a.plan"), key: "email" });
  expect((await failure(given)).message).toContain("is not UTF-8 text: line 2502 has \u00ff in Windows-1252");
  expect(sandbox.requests).toHaveLength(0);
});

test("a run stops if most rows are new although the last run's existed, or if it has no rows, unless that is allowed", async () => {
  const at = testFolder();
  const sandbox = createSandbox({ empty: true, skipWaits: true });
  const client = new MainClient(sandbox);
  const night = (rows: readonly string[], allow?: "mostly_new" | "no_rows") => {
    writeFileSync(at("a.csv"), csv(rows));
    return run(client.users, readCsv(at("a.csv")), {
      to: at("a.plan"),
      key: "email",
      ...(allow && { allow: [allow] }),
    });
  };
  // The first file has only new rows. A later file may also have only new rows if the last run had only new rows.
  expect(await night(lines(40))).toMatchObject({ created: 40 });
  expect(await night(lines(20, 41))).toMatchObject({ created: 20 });
  expect(await night(lines(60))).toMatchObject({ unchanged: 60 });
  for (const turn of [1, 2]) {
    const { message } = await failure(night(lines(40, 100 * turn)));
    expect(message).toMatch(
      /^Nothing was planned or sent: 40 of 40 rows would create .*in the last run 60 of 60 matched/,
    );
    expect((await failure(night([]))).message).toContain("there are no rows, but the last run had 60");
  }
  expect([...sandbox.store.users]).toHaveLength(60);
  // A file with a few new rows, as on any other night, is accepted.
  expect(await night(lines(70))).toMatchObject({ created: 10, unchanged: 60 });
  expect(await night([], "no_rows")).toMatchObject({ complete: true });
  expect(await night(lines(70))).toMatchObject({ unchanged: 70 });
  expect(await night(lines(12, 200), "mostly_new")).toMatchObject({ created: 12 });
});

test("a value for every row is read like a cell, and is refused if the file has a column for its field", async () => {
  const at = testFolder();
  const client = new MainClient(createSandbox({ size: "small", skipWaits: true }));
  writeFileSync(at("a.csv"), csv(lines(1)));
  const to = at("a.plan");
  const set = { wants_newsletter: "yes", label_ids: "[]", locale: "nl" };
  await plan(client.users, readCsv(at("a.csv")), { to, key: "email", set });
  for await (const { send } of rowsOf(to)) {
    expect(send).toMatchObject({ first_name: "Name1", wants_newsletter: true, label_ids: [], locale: "nl" });
  }
  const twice = plan(client.users, readCsv(at("a.csv")), { to, key: "email", set: { first_name: "Jo" } });
  expect((await failure(twice)).message).toContain("set names first_name, although the file has a column for it");
  const none = plan(client.users, [], { to, key: "email", set: { frist_name: "Jo" } as never });
  expect((await failure(none)).message).toContain('did you mean "first_name"?');
});

test("a country comes as its code, in any case; its name is refused with the code", async () => {
  const at = testFolder();
  const client = new MainClient(createSandbox({ size: "small", skipWaits: true }));
  const place = { address: "Street 1", postal_code: "1000 AA", city: "Utrecht" };
  const countries = ["NL", "nl", "Nederland", "Deutschland", "XX"];
  const head = Object.keys(place).map((name) => `address_attributes.${name}`);
  const rows = countries.map((country, row) => [`Place ${row}`, ...Object.values(place), country].join(","));
  writeFileSync(at("a.csv"), `name,${head.join(",")},address_attributes.country\n${rows.join("\n")}\n`);
  await plan(client.courseLocations, readCsv(at("a.csv")), { to: at("a.plan"), key: "name" });
  const found: unknown[] = [];
  for await (const { send, why } of rowsOf(at("a.plan"))) {
    found.push(why[0]?.message.split(";")[0] ?? (send.address_attributes as { country: string }).country);
  }
  const wrong = "is not a two-letter country code, such as";
  expect(found).toEqual(["NL", "NL", `${wrong} NL`, `${wrong} DE`, `${wrong} NL`]);
});
