import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { start } from "../support/example.ts";
import { place } from "../support/place.ts";

describe("lead-import", () => {
  const CSV = [
    "title,first_name,last_name,company_name,email,phone",
    "First aid,Ada,Example,Example Ltd,ada@example.org,+31 20 123 45 67",
    '"Coaching, in house",Ben,Sample,,ben@example.org,',
    "First aid,Ada,Example,Example Ltd,ADA@example.org,",
    "No address,Cas,Test,,,",
    "",
  ].join("\n");

  test("creates each lead once, reports every row, and creates nothing on a second run", async () => {
    const { sandbox, cwd, env, rows } = await place();
    writeFileSync(join(cwd, "leads.csv"), CSV);
    const before = sandbox.store.leads.count;
    const run = () => start("examples/lead-import/lead-import.ts", ["leads.csv"], { cwd, env }).ended;

    expect(await run()).toEqual({ code: 1, output: "2 created, 1 skipped, 1 refused, 0 unknown\n" });
    expect(rows("leads.csv.report.csv").map(({ row, result }) => `${row} ${result}`)).toEqual([
      "2 created",
      "3 created",
      "4 skipped",
      "5 refused",
    ]);
    expect(sandbox.store.leads.count).toBe(before + 2);
    expect(sandbox.store.leads.find(({ title }) => title === "Coaching, in house")?.email).toBe("ben@example.org");

    expect(await run()).toEqual({ code: 1, output: "0 created, 3 skipped, 1 refused, 0 unknown\n" });
    expect(sandbox.store.leads.count).toBe(before + 2);
  });

  test("reports a lead whose answer was lost as unknown, and does not create it again", async () => {
    const { sandbox, cwd, env, rows } = await place();
    writeFileSync(join(cwd, "leads.csv"), CSV.split("\n").slice(0, 2).join("\n"));
    const before = sandbox.store.leads.count;
    const run = () => start("examples/lead-import/lead-import.ts", ["leads.csv"], { cwd, env }).ended;

    sandbox.faults.next({ operation: "leads.create", status: 504, applied: true });
    expect(await run()).toEqual({ code: 1, output: "0 created, 0 skipped, 0 refused, 1 unknown\n" });
    expect(rows("leads.csv.report.csv")[0]?.reason).toContain("504");
    expect(await run()).toEqual({ code: 0, output: "0 created, 1 skipped, 0 refused, 0 unknown\n" });
    expect(sandbox.store.leads.count).toBe(before + 1);
  });

  test("does not send a second row of a lead whose answer was lost", async () => {
    const { sandbox, cwd, env, rows } = await place();
    const [head, row] = CSV.split("\n");
    writeFileSync(join(cwd, "leads.csv"), [head, row, row].join("\n"));
    const before = sandbox.store.leads.count;
    const run = () => start("examples/lead-import/lead-import.ts", ["leads.csv"], { cwd, env }).ended;

    sandbox.faults.next({ operation: "leads.create", reset: true, applied: true });
    expect(await run()).toEqual({ code: 1, output: "0 created, 0 skipped, 0 refused, 2 unknown\n" });
    expect(rows("leads.csv.report.csv")[1]?.reason).toBe("an earlier row of this lead is unknown");
    expect(await run()).toEqual({ code: 0, output: "0 created, 2 skipped, 0 refused, 0 unknown\n" });
    expect(sandbox.store.leads.count).toBe(before + 1);
  });

  test("imports nothing from a file that was cut off", async () => {
    const { sandbox, cwd, env } = await place();
    writeFileSync(join(cwd, "leads.csv"), CSV.slice(0, CSV.indexOf("in house")));
    const before = sandbox.store.leads.count;
    const { code, output } = await start("examples/lead-import/lead-import.ts", ["leads.csv"], { cwd, env }).ended;
    expect([code, output]).toEqual([
      1,
      expect.stringContaining("Nothing was imported from leads.csv: Quote Not Closed"),
    ]);
    expect([sandbox.store.leads.count, sandbox.requests]).toEqual([before, []]);
  });

  test("creates no lead twice after a kill", async () => {
    const { sandbox, cwd, env } = await place();
    const lines = Array.from({ length: 200 }, (_, at) => `Lead ${at},lead-${at}@example.org`);
    writeFileSync(join(cwd, "leads.csv"), ["title,email", ...lines].join("\n"));
    const before = sandbox.store.leads.count;
    const first = start("examples/lead-import/lead-import.ts", ["leads.csv"], { cwd, env });
    await expect.poll(() => sandbox.store.leads.count, { interval: 5, timeout: 15_000 }).toBeGreaterThan(before + 10);
    first.process.kill("SIGKILL");
    await first.ended;
    expect((await start("examples/lead-import/lead-import.ts", ["leads.csv"], { cwd, env }).ended).code).toBe(0);
    expect(sandbox.store.leads.count).toBe(before + 200);
  });

  test("links users by their address and puts labels on by name, in a request per list", async () => {
    const { sandbox, cwd, env, rows } = await place();
    const { labels, leads, users } = sandbox.store;
    const label = labels.find(({ model_type }) => model_type === "Lead");
    const user = users.get(3);
    const lines = ["title,email,labels", `Known,${user?.email.toUpperCase()},${label?.name}`, "New,new@example.org,"];
    for (let more = 0; more < 20; more++) lines.push(`More ${more},more-${more}@example.org,"; ${label?.name};"`);
    writeFileSync(join(cwd, "leads.csv"), [...lines, "Odd,odd@example.org,No such label"].join("\n"));
    const { code, output } = await start("examples/lead-import/lead-import.ts", ["leads.csv"], { cwd, env }).ended;
    expect([code, output]).toEqual([1, "22 created, 0 skipped, 1 refused, 0 unknown\n"]);
    expect(leads.find(({ title }) => title === "Known")).toMatchObject({ user_id: user?.id, label_ids: [label?.id] });
    expect(leads.find(({ title }) => title === "New")).toMatchObject({ user_id: null, label_ids: [] });
    expect(rows("leads.csv.report.csv").at(-1)?.reason).toBe("no label No such label");
    const read = sandbox.requests.filter(({ method }) => method === "GET").map(({ operation }) => operation);
    expect([...new Set(read)].sort()).toEqual(["labels.list", "leads.list", "users.list"]);
    expect(read.filter((operation) => operation === "labels.list").length).toBeLessThan(3);
  });

  test.each([403, 404])("imports nothing when the key is answered %s for users", async (status) => {
    const { sandbox, cwd, env } = await place();
    writeFileSync(join(cwd, "leads.csv"), CSV);
    const before = sandbox.store.leads.count;
    sandbox.faults.next({ operation: "users.list", status });
    const { code, output } = await start("examples/lead-import/lead-import.ts", ["leads.csv"], { cwd, env }).ended;
    expect([code, output]).toEqual([1, expect.stringMatching(/^Nothing was imported: users.list/)]);
    expect(sandbox.store.leads.count).toBe(before);
  });
});
