import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { apply, type BulkRow, plan, rowsOf } from "../../../src/bulk/node.js";
import { isEducationAdminError } from "../../../src/index.js";
import { amount } from "../../support/amount.js";
import { chance } from "../../support/chance.js";
import { testFolder } from "../support/folder.js";
import { people, school } from "../support/school.js";

const FLIPS = amount(60, 300);

async function rowsIn(path: string): Promise<BulkRow[] | string> {
  const rows: BulkRow[] = [];
  try {
    for await (const row of rowsOf(path)) rows.push(row);
    return rows;
  } catch (error) {
    if (!isEducationAdminError(error)) throw error;
    return error.message;
  }
}

test(`of ${FLIPS} facts in a journal with one flipped bit, none is believed and nothing is sent`, async () => {
  const at = testFolder();
  const random = chance(20260105);
  const { sandbox, client } = school();
  const corrected = [...sandbox.store.users]
    .slice(1, 31)
    .map(({ email }, n) => ({ email, first_name: `Changed ${n}` }));
  await plan(client.users, [...people(30), ...corrected] as never, { to: at("a.plan"), key: "email" });
  const planned = readFileSync(at("a.plan")).length;
  sandbox.faults.next(
    { operation: "users.create", reset: true, applied: true },
    { operation: "users.update", status: 422 },
  );
  await apply(client, at("a.plan"));
  const whole = readFileSync(at("a.plan"));
  expect(await rowsIn(at("a.plan"))).toBeInstanceOf(Array);
  const lastLine = whole.lastIndexOf("\n", whole.length - 2) + 1;
  const facts = whole.subarray(planned).toString().trim().split("\n").length;
  expect(facts).toBeGreaterThan(100);

  const believed: string[] = [];
  for (let flip = 0; flip < FLIPS; flip++) {
    const place = planned + Math.floor(random() * (lastLine - planned));
    const bit = 1 << Math.floor(random() * 8);
    const bytes = Buffer.from(whole);
    bytes[place] = (bytes[place] ?? 0) ^ bit;
    writeFileSync(at("b.plan"), bytes);
    const line = bytes
      .subarray(bytes.lastIndexOf("\n", place - 1) + 1)
      .toString()
      .split("\n")[0];
    if (typeof (await rowsIn(at("b.plan"))) !== "string") believed.push(`rowsOf: ${line}`);
    const sent = sandbox.requests.filter(({ method }) => method !== "GET").length;
    const ended = await apply(client, at("b.plan")).catch((error: unknown) => {
      if (!isEducationAdminError(error)) throw error;
      return null;
    });
    if (ended) believed.push(`apply: ${line}`);
    if (sandbox.requests.filter(({ method }) => method !== "GET").length > sent) believed.push(`sent: ${line}`);
  }
  expect(believed).toEqual([]);
});
