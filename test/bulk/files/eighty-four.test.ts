import { writeFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { drawCases } from "../../support/amount.js";
import { office, proposedIn } from "../support/command.js";
import { EIGHTY_FOUR } from "./eighty-four.js";

const counts = { files: 0, whole: 0, values: 0 };

test.each(drawCases(EIGHTY_FOUR, 12))(
  "$name: two commands store no wrong value",
  async ({ resource, key, bytes, right }) => {
    const { at, sandbox, type, wordsOf } = await office();
    writeFileSync(at("rows.csv"), bytes);
    const line = ["plan", resource, at("rows.csv"), "--key", key, "--to", at("a.plan")];
    const first = await type(...line);
    const command = proposedIn(first.text);
    const before = new Map([...sandbox.store[resource]].map((record) => [record.id, JSON.stringify(record)]));
    const [, ...words] = command === "" ? line : wordsOf(command);
    const done = await type("run", ...words, "--yes");
    const written = [...sandbox.store[resource]].filter((record) => before.get(record.id) !== JSON.stringify(record));
    for (const record of written as unknown as Readonly<Record<string, unknown>>[]) {
      const wanted = right.get(String(record[key]));
      expect(wanted, `${done.text}\n${command}`).toBeDefined();
      const fields = Object.entries(wanted ?? {}).filter(([, value]) => value !== undefined);
      const stored = fields.map(([field]) => [field, record[field] ?? null]);
      expect(stored, `${done.text}\n${command}`).toEqual(fields);
      counts.values += fields.length;
    }
    counts.files++;
    if (written.length === right.size) counts.whole++;
  },
);

afterAll(() => {
  console.log(`${counts.files} files, ${counts.whole} read as a whole, ${counts.values} values, 0 wrong`);
  expect(counts.whole).toBe(counts.files);
});
