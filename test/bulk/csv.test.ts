import { mkdirSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { apply, type BulkProgress, plan, readCsv, rowsOf } from "../../src/bulk/node.js";
import { failure } from "../support/manual-clock.js";
import { testFolder } from "./support/folder.js";
import { school } from "./support/school.js";

async function readAll(text: string | Buffer) {
  const at = testFolder();
  writeFileSync(at("rows.csv"), text);
  const rows: unknown[] = [];
  for await (const row of readCsv(at("rows.csv"))) rows.push(row);
  return rows;
}

test("the separator in the header, outside quotes, separates all cells", async () => {
  const row = { "a;b;c": "1", d: "2;3" };
  expect(await readAll('"a;b;c",d\n1,2;3\n')).toEqual([row]);
  expect(await readAll('"a,b,c";d\r\n1;"2,3"')).toEqual([{ "a,b,c": "1", d: "2,3" }]);
  // If commas and semicolons are equally frequent, the comma is the separator.
  expect(await readAll("a;b,c\n1,2")).toEqual([{ "a;b": "1", c: "2" }]);
  expect(await readAll("one\n1;2\n")).toEqual([{ one: "1;2" }]);
  // Only the header determines the separator.
  expect(await readAll("a,b\r1;2;3;4,5\r")).toEqual([{ a: "1;2;3;4", b: "5" }]);
});

test("multi-byte characters may be split between chunks, and a byte order mark at the start is removed", async () => {
  const cells = Array.from({ length: 20_000 }, (_, at) => `\u20AC${"\u00E9".repeat(at % 3)}`);
  expect(await readAll(`\uFEFFcell\n${cells.join("\n")}`)).toEqual(cells.map((cell) => ({ cell })));
  expect(await failure(readAll(Buffer.from("cell\n\u20AC").subarray(0, -1)))).toMatchObject({
    message: expect.stringContaining("ends in the middle of a character: the file is cut off"),
  });
});

test("an abort ends the planning of a file", async () => {
  const at = testFolder();
  writeFileSync(at("rows.csv"), `name,model_type\n${"New,Lead\n".repeat(300)}`);
  const stop = new AbortController();
  const options = { to: at("a.plan"), key: "name", signal: stop.signal } as const;
  const onProgress = ({ rows }: BulkProgress) => rows > 0 && stop.abort(new Error("enough"));
  expect(
    await failure(plan(school().client.labels, readCsv(at("rows.csv")), { ...options, onProgress })),
  ).toMatchObject({ message: "enough" });
});

test("a file may be given as a URL, and a folder is refused", async () => {
  const at = testFolder();
  mkdirSync(at("folder"));
  writeFileSync(at("rows.csv"), "a\n1\n");
  for await (const row of readCsv(pathToFileURL(at("rows.csv")))) expect(row).toEqual({ a: "1" });
  const error = await failure(readCsv(at("folder"))[Symbol.asyncIterator]().next());
  expect(error).toMatchObject({ code: "input", message: `readCsv: ${at("folder")} is a folder.` });
});

test("multi-byte characters in a plan may be split between chunks", async () => {
  const at = testFolder();
  const { sandbox, client } = school();
  const rows = Array.from({ length: 100 }, (_, row) => ({
    name: `Label ${row} ${"\u20AC\u00E9".repeat(400)}`,
    model_type: "Lead",
  }));
  await plan(client.labels, rows as never, { to: at("a.plan"), key: ["name", "model_type"] });
  expect(await apply(client, at("a.plan"))).toMatchObject({ created: 100, complete: true });
  const names = new Set([...sandbox.store.labels].map(({ name }) => name));
  for await (const { send } of rowsOf(at("a.plan"))) expect(names).toContain(send.name);
});
