import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { apply, type BulkRow, plan, readCsv, rowsOf, undo } from "../../src/bulk/node.js";
import { testFolder } from "./support/folder.js";
import { copies, each, people, school } from "./support/school.js";

async function rowsIn(path: string): Promise<BulkRow[]> {
  const rows: BulkRow[] = [];
  for await (const row of rowsOf(path)) rows.push(row);
  return rows;
}

// In a large school, each of a few rows is looked up by its key; in a small one, the whole list is read.
test.each(["small", 1000] as const)("a second plan of the same rows creates nothing again, school %s", async (size) => {
  const at = testFolder();
  const { sandbox, client } = school(size);
  for (const to of [at("a.plan"), at("b.plan")]) await plan(client.users, people(3), { to, key: "email" });
  expect(await apply(client, at("a.plan"))).toMatchObject({ created: 3 });
  expect(await apply(client, at("b.plan"))).toMatchObject({ created: 0, stale: 3 });
  expect(copies(sandbox)).toEqual(each(3));
});

test("undo leaves a record that was updated after its creation, whichever field was changed", async () => {
  const at = testFolder();
  const { sandbox, client } = school();
  const rooms = ["Room", "Hall"].map((name) => ({ name, course_location_id: 1 }));
  await plan(client.meetingLocations, rooms, { to: at("a.plan"), key: "name" });
  expect(await apply(client, at("a.plan"))).toMatchObject({ created: 2 });
  const [room] = await rowsIn(at("a.plan"));
  sandbox.clock.advance(1_000);
  await client.meetingLocations.update(room?.id ?? 0, { name: "Room", capacity: 12 });
  await undo(at("a.plan"), { to: at("b.plan"), creates: "delete" });
  expect(await apply(client, at("b.plan"))).toMatchObject({ deleted: 1, stale: 1 });
  expect(sandbox.store.meetingLocations.get(room?.id ?? 0)).toMatchObject({ capacity: 12 });
});

test("cells contain no line ends, whatever line ends the file has", async () => {
  const at = testFolder();
  const { client } = school();
  writeFileSync(at("rows.csv"), "email,first_name,last_name\na@example.com,Ada,Fox\r\nb@example.com,Bo,Elk\n");
  await plan(client.users, readCsv(at("rows.csv")), { to: at("a.plan"), key: "email" });
  expect((await rowsIn(at("a.plan"))).map(({ send }) => send.last_name)).toEqual(["Fox", "Elk"]);
});
