import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { start } from "../support/program.ts";
import { makeFolder } from "../support/type-check.ts";
import { fencesOf } from "./support/code-blocks.ts";
import { place } from "./support/place.ts";
import { writeTask } from "./support/tasks.ts";

// Below the project, so that imports find its dependencies; not in git.
const folder = makeFolder();
afterAll(() => rmSync(folder, { recursive: true }));

describe("the program that credits a canceled order", () => {
  const file = writeTask("cancel-and-credit", folder).get("cancel-order.ts") as string;

  async function canceled() {
    const where = await place();
    const { store } = where.sandbox;
    for (const { id } of store.invoices.filter(({ order_id }) => order_id === 7)) store.invoices.delete(id);
    store.invoices.insert({ status: "open", order_id: 7, number: "2041", items: [{ units: 2, unit_price: "10.00" }] });
    const run = () => start(file, ["7"], where).ended;
    const credits = () =>
      store.invoices
        .filter(({ footnote }) => footnote === "Credit of 2041")
        .map(({ status, total_incl }) => `${status} ${Number(total_incl) < 0}`);
    return { ...where, run, credits };
  }

  test("credits it once, however often it is started", async () => {
    const { run, credits } = await canceled();
    for (let times = 0; times < 2; times++) {
      expect((await run()).code).toBe(0);
      expect(credits()).toEqual(["open true"]);
    }
  });

  test("opens its draft where an earlier start could not", async () => {
    const { sandbox, run, credits } = await canceled();
    sandbox.faults.next({ operation: "invoices.open", status: 422, message: "Not today" });
    expect((await run()).code).toBe(1);
    expect(credits()).toEqual(["concept true"]);
    const { code, output } = await run();
    expect([code, output]).toEqual([0, expect.stringContaining("Credit of 2041 -")]);
    expect(credits()).toEqual(["open true"]);
  });
});

test("the program that restores last Tuesday's values writes no more than it says", async () => {
  const file = join(folder, "tuesday.ts");
  writeFileSync(file, fencesOf("docs/guides/bulk.md").find(({ code }) => code.includes("tuesday.plan"))?.code ?? "");
  const where = await place();
  const { store } = where.sandbox;
  while (store.courses.count < 21) store.courses.insert({});
  const changed = () => [...store.courses].filter(({ name }) => name.startsWith("Renamed")).length;
  const run = async (...args: string[]) => expect((await start(file, args, where).ended).code).toBe(0);
  await run();
  expect(existsSync(join(where.cwd, "tuesday.plan"))).toBe(false);

  const tuesday = new Date().toISOString();
  for (const { id } of [...store.courses]) store.courses.update(id, { name: `Renamed ${id}` });
  await run(tuesday);
  expect(changed()).toBe(21);
  const [first] = [...store.courses];
  store.courses.delete(first?.id ?? 0);
  rmSync(join(where.cwd, "tuesday.plan"));
  await run(tuesday);
  expect(changed()).toBe(0);
});

test("the program that hears of enrollments handles what it subscribes to, and keeps it on the disk", async () => {
  const file = writeTask("new-enrollments", folder).get("enrollments.ts") as string;
  const deliver = join(folder, "deliver.ts");
  writeFileSync(
    deliver,
    `import { signWebhook } from "education-admin-sdk/webhooks";
import { POST } from ${JSON.stringify(file)};
for (const event of ["enrollment.deleted", "program_enrollment.cancel", "planned_course.canceled"]) {
  const body = JSON.stringify({ tenant_id: "t", educator: "academy", event, event_data: { id: 7 } });
  const headers = { ...(await signWebhook({ body, secrets: "s3cret" })), "content-type": "application/json" };
  await POST(new Request("http://localhost/", { method: "POST", body, headers }));
}
await POST.drain();
await POST.close();
`,
  );
  const where = await place();
  const env = { ...where.env, WEBHOOK_SECRET: "s3cret" };
  const run = (program: string) => start(program, [], { cwd: where.cwd, env }).ended;
  const { code, output } = await run(deliver);
  expect(output.trim().split("\n").sort()).toEqual([
    "enrollment 7 was deleted",
    "planned course 7: its places are gone",
    "program_enrollment.cancel 7",
  ]);
  expect([code, existsSync(join(where.cwd, "webhooks.sqlite"))]).toEqual([0, true]);

  // Killed as soon as the service has its 200, and started again.
  const killed = join(folder, "killed.ts");
  const again = join(folder, "again.ts");
  writeFileSync(
    killed,
    `import { signWebhook } from "education-admin-sdk/webhooks";
import { POST } from ${JSON.stringify(file)};
const body = JSON.stringify({ tenant_id: "t", educator: "academy", event: "planned_course.canceled", event_data: { id: 8 } });
const headers = { ...(await signWebhook({ body, secrets: "s3cret" })), "content-type": "application/json" };
console.log = () => process.kill(process.pid, "SIGKILL");
if ((await POST(new Request("http://localhost/", { method: "POST", body, headers }))).status === 200) console.log();
`,
  );
  writeFileSync(
    again,
    `import { POST } from ${JSON.stringify(file)};
await POST.drain();
await POST.close();
`,
  );
  expect((await run(killed)).code).not.toBe(0);
  const inbox = new DatabaseSync(join(where.cwd, "webhooks.sqlite"));
  // The lease of the program that was killed has ended.
  expect(
    inbox.prepare("UPDATE education_admin_deliveries SET available_at = 0 WHERE state = 'waiting'").run().changes,
  ).toBe(1);
  inbox.close();
  expect((await run(again)).output.trim()).toBe("planned course 8: its places are gone");
  expect((await run(again)).output.trim()).toBe("");
});
