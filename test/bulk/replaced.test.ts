import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { apply, type BulkError, plan, readCsv, rowsOf, undo, writeReport } from "../../src/bulk/node.js";
import { planWith } from "../../src/bulk/node-plan.js";
import { filesThatStopAt } from "../export/support/failing-files.js";
import { amount } from "../support/amount.js";
import { failure } from "../support/manual-clock.js";
import { testFolder } from "./support/folder.js";
import { people, school } from "./support/school.js";

describe("an existing plan", () => {
  test("stays unchanged if its replacement ends with an error, which leaves no other file", async () => {
    const at = testFolder();
    const { client } = school();
    const to = at("a.plan");
    await plan(client.users, people(2), { to, key: "email" });
    const before = readFileSync(to);
    writeFileSync(at("rows.csv"), "email,frist_name\na@b.nl,A\n");
    const stop = new AbortController();
    async function* abortingRows() {
      yield* people(600);
      stop.abort(new Error("interrupted"));
      yield* people(1, 700);
    }
    await failure(plan(client.users, readCsv(at("rows.csv")), { to, key: "email" }));
    await failure(plan(client.users, abortingRows(), { to, key: "email", signal: stop.signal }));
    await failure(undo(at("none.plan"), { to }));
    expect(readFileSync(to)).toEqual(before);
    expect(readdirSync(at("")).sort()).toEqual(["a.plan", "rows.csv"]);
    expect(await apply(client, to)).toMatchObject({ created: 2 });
  });

  test("survives a stop of the machine at any step, and can be replaced afterwards", async () => {
    const { client } = school();
    for (let step = 1; ; step += amount(3, 1)) {
      const at = testFolder();
      const options = { to: at("a.plan"), key: "email" as const };
      await plan(client.users, people(2), options);
      const before = readFileSync(at("a.plan"));
      const disk = filesThatStopAt(step, 0.5);
      const ended = await planWith(disk.files, client.users, people(600), options as never).catch(() => null);
      if (!disk.failed) break;
      if (ended === null && readFileSync(at("a.plan")).length !== before.length) {
        // The new plan was already complete when the machine stopped.
        let rows = 0;
        for await (const _ of rowsOf(at("a.plan"))) rows++;
        expect(rows).toBe(600);
        continue;
      }
      expect(readFileSync(at("a.plan"))).toEqual(before);
      expect(await plan(client.users, people(3), options)).toMatchObject({ create: 3 });
      expect(readdirSync(at(""))).toEqual(["a.plan"]);
    }
  });
});

test("a file beside a plan or a report is left alone if the library has not written it", async () => {
  const at = testFolder();
  const { client } = school();
  for (const name of ["a.plan.part", "a.csv.part"]) writeFileSync(at(name), "a download of mine");
  const error = await failure<BulkError>(plan(client.users, people(2), { to: at("a.plan"), key: "email" }));
  expect(error.message).toContain("a.plan.part is a file that is not a plan; name another one");
  await plan(client.users, people(2), { to: at("b.plan"), key: "email" });
  await writeReport(at("b.plan"), at("a.csv"));
  expect(existsSync(at("a.csv")), "the report exists").toBe(true);
  for (const name of ["a.plan.part", "a.csv.part"]) expect(readFileSync(at(name), "utf8")).toBe("a download of mine");
  // A report that cannot be moved to its final path leaves no file behind either.
  await failure(writeReport(at("b.plan"), at("")));
  expect(readdirSync(at("")).sort()).toEqual(["a.csv", "a.csv.part", "a.plan.part", "b.plan"]);
  expect(readdirSync(at("..")).filter((name) => name.startsWith(`${basename(at(""))}.`))).toEqual([]);
});
