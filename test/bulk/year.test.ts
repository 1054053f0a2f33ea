import { readdirSync, statSync } from "node:fs";
import { MainClient } from "education-admin-sdk";
import { plan, run } from "education-admin-sdk/bulk";
import { createSandbox } from "education-admin-sdk/sandbox";
import { expect, test } from "vitest";
import { chance } from "../support/chance.js";
import { testFolder } from "./support/folder.js";

// `npm run campaign:year` runs ten thousand rows, which takes ten minutes.
const ROWS = Number(process.env.YEAR_ROWS ?? 1_000);
const NIGHTS = 365;
const DAY_MS = 86_400_000;
/** Bytes of a memory for each row of the file, and for the nights. */
const [ROW_BYTES, NIGHTS_BYTES] = [110, 100_000];

test(`a year of nights of ${ROWS} rows takes the same processor time each night, and leaves a small memory and no old plan`, {
  timeout: 3_600_000,
}, async () => {
  const at = testFolder();
  const random = chance(20261129);
  const pick = (count: number) => Math.floor(random() * count);
  let next = 0;
  const person = () => ({
    email: `p${next}@example.org`,
    first_name: "Jo",
    last_name: `Name ${next++}`,
  });
  const rows = Array.from({ length: ROWS }, person);
  const sandbox = createSandbox({ empty: true, skipWaits: true, rateLimit: false, data: { users: rows } });
  const { baseUrl, apiKey, fetch, clock } = sandbox;
  const client = new MainClient({ baseUrl, apiKey, fetch, clock, rateLimit: false });
  const options = { to: at("a.plan"), key: "email" } as const;
  const times: number[] = [];
  let [largest, joined, left] = [0, 0, 0];
  for (let night = 1; night <= NIGHTS; night++) {
    for (let count = 0; count < ROWS / 100; count++) {
      const row = rows[pick(ROWS)];
      if (row) row.last_name = `Name ${night} ${count}`;
    }
    for (let count = 0; count < ROWS / 700; count++) {
      const row = rows.splice(pick(rows.length), 1)[0];
      const gone = [...sandbox.store.users].find(({ email }) => email === row?.email);
      if (gone) sandbox.store.users.delete(gone.id);
      rows.push(person());
      [joined, left] = [joined + 1, left + 1];
    }
    const started = process.cpuUsage();
    const report = await run(client.users, rows, options);
    const { user, system } = process.cpuUsage(started);
    times.push((user + system) / 1_000);
    expect(report, `night ${night}`).toMatchObject({ complete: true, doubled: 0 });
    largest = Math.max(largest, statSync(at("a.plan.memory")).size);
    const days = readdirSync(at(".")).flatMap((name) => /^a\.plan\.([\d-]+)/.exec(name)?.[1] ?? []);
    expect(new Set(days).size).toBe(Math.min(7, night - Number(night > 100)));
    // One day has two runs.
    if (night !== 100) await clock.advance(DAY_MS);
  }
  const least = (from: number) => Math.min(...times.slice(from, from + 15));
  const ratio = least(300) / least(30);
  console.log(
    `${ROWS} rows, ${NIGHTS} nights: memory at most ${(largest / 1e6).toFixed(2)} MB; night 30 ${least(30).toFixed(0)} ms, night 300 ${least(300).toFixed(0)} ms; ${joined} joined, ${left} left`,
  );
  expect(largest).toBeLessThan(ROWS * ROW_BYTES + NIGHTS_BYTES);
  expect(ratio).toBeLessThan(1.4);
  const unchanged = await plan(client.users, rows, { ...options, to: at("b.plan") });
  expect(unchanged).toMatchObject({ create: 0, update: 0, leave: ROWS });
});
