import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { start } from "../../support/program.ts";
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

    // Of two rows with one key neither is taken for the right one.
    expect(await run()).toEqual({ code: 1, output: "1 created, 0 unchanged, 3 refused, 0 failed\n" });
    const outcomes = rows("leads.csv.report.csv").map(({ _row, _outcome }) => `${_row} ${_outcome}`);
    expect(outcomes).toEqual(["2 refused", "3 created", "4 refused", "5 refused"]);
    expect(sandbox.store.leads.count).toBe(before + 1);
    expect(sandbox.store.leads.find(({ title }) => title === "Coaching, in house")?.email).toBe("ben@example.org");

    // Compared anew: what exists stays as it is.
    expect(await run()).toEqual({ code: 1, output: "0 created, 1 unchanged, 3 refused, 0 failed\n" });
    expect(sandbox.store.leads.count).toBe(before + 1);

    // A row added to the file is imported, also where the start before it was killed.
    writeFileSync(join(cwd, "leads.csv"), `${CSV}New,Dee,Test,,dee@example.org,\n`);
    const sent = sandbox.requests.length;
    const killed = start("examples/lead-import/lead-import.ts", ["leads.csv"], { cwd, env });
    while (sandbox.requests.length === sent) await new Promise((turn) => setImmediate(turn));
    killed.process.kill("SIGKILL");
    expect((await killed.ended).code).toBe(null);
    expect(await run()).toEqual({ code: 1, output: "1 created, 1 unchanged, 3 refused, 0 failed\n" });
    expect(sandbox.store.leads.count).toBe(before + 2);
  });

  test("refuses the line in which a file was cut off", async () => {
    const { cwd, env, rows } = await place();
    writeFileSync(join(cwd, "leads.csv"), CSV.slice(0, CSV.indexOf("in house")));
    const { code, output } = await start("examples/lead-import/lead-import.ts", ["leads.csv"], { cwd, env }).ended;
    expect([code, output]).toEqual([1, "1 created, 0 unchanged, 1 refused, 0 failed\n"]);
    expect(rows("leads.csv.report.csv").at(-1)?._reason).toBe("line 3 has a quote that is not closed");
  });

  test("puts labels on by name, in a request per list", async () => {
    const { sandbox, cwd, env, rows } = await place();
    const { labels, leads } = sandbox.store;
    const label = labels.find(({ model_type }) => model_type === "Lead");
    const lines = ["title,email,label_ids", "New,new@example.org,"];
    for (let more = 0; more < 20; more++) lines.push(`More ${more},more-${more}@example.org,"; ${label?.name};"`);
    writeFileSync(join(cwd, "leads.csv"), [...lines, "Odd,odd@example.org,No such label"].join("\n"));
    const { code, output } = await start("examples/lead-import/lead-import.ts", ["leads.csv"], { cwd, env }).ended;
    expect([code, output]).toEqual([1, "21 created, 0 unchanged, 1 refused, 0 failed\n"]);
    expect(leads.find(({ title }) => title === "New")).toMatchObject({ label_ids: [] });
    expect(leads.find(({ title }) => title === "More 3")).toMatchObject({ label_ids: [label?.id] });
    expect(rows("leads.csv.report.csv").at(-1)?._reason).toContain("none of the labels has the name No such label");
    const read = sandbox.requests.filter(({ method }) => method === "GET").map(({ operation }) => operation);
    expect([...new Set(read)].sort()).toEqual(["labels.list", "leads.list"]);
  });

  test.each([403, 404])("imports nothing when the key is answered %s", async (status) => {
    const { sandbox, cwd, env } = await place();
    writeFileSync(join(cwd, "leads.csv"), CSV);
    const before = sandbox.store.leads.count;
    sandbox.faults.next({ operation: "leads.list", status });
    const { code, output } = await start("examples/lead-import/lead-import.ts", ["leads.csv"], { cwd, env }).ended;
    expect([code, output]).toEqual([1, expect.stringContaining(`leads.list: ${status}`)]);
    expect(sandbox.store.leads.count).toBe(before);
  });
});
