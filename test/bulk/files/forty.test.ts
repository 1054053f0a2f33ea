import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { apply, type PlanOptions, plan, readCsv, rowsOf } from "../../../src/bulk/node.js";
import { MainClient } from "../../../src/index.js";
import { createSandbox } from "../../../src/sandbox/index.js";
import { testFolder } from "../support/folder.js";
import { FORTY, IN_SCHOOL, PEOPLE } from "./forty.js";

const COLUMNS = { email: "E-mail", first_name: "First", last_name: "Last" };

test.each(FORTY)("$name", async ({ bytes, reading, formats, options, columns = COLUMNS, comes }) => {
  const at = testFolder();
  const sandbox = createSandbox({ empty: true, skipWaits: true });
  const client = new MainClient(sandbox);
  for (const person of PEOPLE.slice(0, IN_SCHOOL)) await client.users.create(person);
  writeFileSync(at("people.csv"), bytes);
  const reasons: string[] = [];
  try {
    const given = { to: at("people.plan"), key: "email", columns, formats, ...options } as PlanOptions<unknown>;
    await plan(client.users, readCsv(at("people.csv"), reading), given as never);
    for await (const { why } of rowsOf(at("people.plan"))) reasons.push(...why.map(({ message }) => message));
    await apply(client, at("people.plan"));
  } catch (error) {
    reasons.push((error as Error).message);
  }
  const stored = (await client.users.list().toArray()).map(({ email, first_name, last_name }) => ({
    email,
    first_name,
    last_name,
  }));
  const isRight = comes === "right";
  const text = typeof bytes === "string" ? bytes : "";
  // The file may be read or refused, but no person may be created twice or made up, and no value may be wrong.
  expect(stored.filter((person) => !PEOPLE.some((right) => JSON.stringify(right) === JSON.stringify(person)))).toEqual(
    [],
  );
  expect(new Set(stored.map(({ email }) => email)).size).toBe(stored.length);
  if (!isRight) expect(reasons.join("\n")).toMatch(comes);
  else {
    expect(reasons).toEqual([]);
    const wanted = text === "" && reading ? PEOPLE.length - 1 : PEOPLE.length;
    expect(stored.length).toBe(wanted);
  }
});
