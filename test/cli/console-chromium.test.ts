import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { Chromium } from "../../scripts/check-package/chromium.ts";
import { Console } from "../../src/cli/serve/console.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";
import { needs, reportMissing } from "../support/tools.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const TABS = ["Requests", "Data", "Faults", "Webhooks"];

let chromium: Chromium;
beforeAll(async () => {
  if (reportMissing("chromium") === null) chromium = await Chromium.launch();
});
afterAll(() => chromium?.close());

async function open() {
  const page = new Console();
  const sandbox = createSandbox({ size: "small", rateLimit: false, onRequest: (request) => page.request(request) });
  const server = await listen(page.around(sandbox));
  onTestFinished(() => server.close());
  const observed = await chromium.open(server.url + page.path);
  onTestFinished(() => observed.close());
  const get = (path: string) =>
    sandbox.fetch(
      new Request(`${sandbox.baseUrl}/api/${path}`, { headers: { authorization: `Bearer ${sandbox.apiKey}` } }),
    );
  return { sandbox, server, get, observed, page: observed.page };
}

test(
  "a filter takes no longer after 20,000 requests than after 2,000, and draws little",
  needs("chromium"),
  async () => {
    const { get, page, observed } = await open();
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const seconds = async () =>
      (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration")?.value ??
      Number.NaN;
    let sent = 0;
    const sendUntil = async (count: number) => {
      for (; sent < count; sent++) {
        await get(sent % 1_000 === 7 ? "v1/labels" : `nothing/${sent}`);
        // Lets the server write.
        if (sent % 200 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      const wanted = [`${count} requests`, `nothing/${count - 1}`];
      await page.waitForFunction(
        ([requests = "", last = ""]) =>
          document.getElementById("state")?.textContent?.includes(requests) &&
          document.getElementById("requests")?.textContent?.includes(last),
        wanted,
      );
    };
    const filterBy = async (text: string) => {
      const before = await seconds();
      await page.evaluate((value) => {
        const filter = document.getElementById("filter") as HTMLInputElement;
        filter.value = value;
        filter.dispatchEvent(new Event("input"));
        // Forces a layout, which is part of the response time.
        document.body.getBoundingClientRect();
      }, text);
      return (await seconds()) - before;
    };
    // Takes the fastest of five runs: other programs on the machine can only add time.
    const quickest = async () => {
      const times: number[] = [];
      for (let n = 0; n < 5; n++) {
        times.push(await filterBy("labels.list"));
        if (n < 4) await filterBy("");
      }
      return Math.min(...times);
    };
    await sendUntil(2_000);
    const few = await quickest();
    await filterBy("");
    await sendUntil(20_000);
    expect(await page.locator("#requests tr").count()).toBe(100);
    const many = await quickest();
    console.info(`A filter after 20,000 requests took ${(many / few).toFixed(2)} of what it took after 2,000`);
    expect(many).toBeLessThan(3 * few);
    expect(await page.locator("#count").textContent()).toBe("1 of 1 matches shown, from the last 1000 requests");
    expect(await observed.violations()).toEqual([]);
  },
);

test("the keyboard alone reaches every action", needs("chromium"), async () => {
  const { sandbox, get, page } = await open();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await get("v1/labels");
  await page.waitForFunction(() => document.querySelectorAll("#requests tr").length === 1);
  await page.waitForFunction(() => document.querySelectorAll("#records tr").length > 0);
  const act = async (name: string, within = page.locator("main")) => {
    await reach(within.getByRole(TABS.includes(name) ? "tab" : "button", { name, exact: true }).first());
    await page.keyboard.press("Enter");
  };
  // Presses only Tab, starting at the top of the page.
  const reach = async (target: ReturnType<typeof page.locator>) => {
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    const element = await target.elementHandle();
    for (let n = 0; n < 300; n++) {
      await page.keyboard.press("Tab");
      if (await page.evaluate((one) => document.activeElement === one, element)) return;
    }
    throw new Error(`Tab does not reach ${target}`);
  };
  const says = (text: string) =>
    page.waitForFunction((one) => document.getElementById("message")?.textContent?.includes(one), text);

  await act("Faults");
  await act("503");
  await says("Done: 503");
  expect(sandbox.faults.pending).toMatchObject([{ status: 503 }]);
  await act("Remove all");
  await says("Done: Remove all");
  expect(sandbox.faults.pending).toEqual([]);
  await act("Add the fault");
  await says("Done: Add the fault");
  expect(sandbox.faults.pending).toMatchObject([{ operation: "accounts.list", times: 2 }]);
  const now = sandbox.clock.now();
  await act("Clock +5 minutes");
  await says("Done: Clock +5 minutes");
  expect(sandbox.clock.now() - now).toBeGreaterThanOrEqual(300_000);

  await act("Requests");
  await act("labels.list");
  await page.waitForFunction(() => document.activeElement?.id === "call-title");
  expect(await page.locator("#got").textContent()).toContain('"name"');
  await act("Copy as TypeScript");
  await says("await client.labels.list(");
  await act("Copy as curl");
  await says("curl -X GET http://127.0.0.1:");

  await act("Data");
  await reach(page.getByLabel("A record as JSON"));
  await page.keyboard.press("Control+A");
  await page.keyboard.type('{"name":"By keyboard Ltd"}');
  await act("Add or change");
  await says("Done: Add or change");
  const made = sandbox.store.accounts.find(({ name }) => name === "By keyboard Ltd");
  expect(made).toBeDefined();
  await reach(page.getByLabel("A record as JSON"));
  await page.keyboard.press("Control+A");
  await page.keyboard.type(`{"id":${made?.id}}`);
  await act("Delete this id");
  await says("Done: Delete this id");
  expect(sandbox.store.accounts.get(made?.id ?? 0)).toBeUndefined();
  await reach(page.locator("#names"));
  await page.keyboard.type("enrollments");
  await page.waitForFunction(() => document.getElementById("columns")?.textContent?.includes("student_id"));
  const student = sandbox.store.enrollments.at(0)?.student_id;
  await act(`users ${student}`);
  await page.waitForFunction((id) => document.getElementById("records")?.textContent?.startsWith(`${id}`), student);
  expect(JSON.parse(await page.getByLabel("A record as JSON").inputValue())).toMatchObject({ id: student });
  expect(await page.locator("#found").textContent()).toMatch(/^1 shown of \d+$/);

  await act("Webhooks");
  await act("Send a sample");
  await says("Done: Send a sample");
  await act("Reset");
  await says("Done: Reset");
  expect(sandbox.faults.pending).toEqual([]);
});

test(
  "axe-core finds no problem, light or dark, wide or on a phone, where nothing scrolls sideways",
  needs("chromium"),
  async () => {
    const { get, page } = await open();
    for (const path of ["v1/labels", "nothing"]) await get(path);
    await page.waitForFunction(() => document.querySelectorAll("#requests tr").length === 2);
    await page.waitForFunction(() => document.querySelectorAll("#records tr").length > 0);
    await page.getByRole("button", { name: "labels.list" }).click();
    await page.waitForFunction(() => !document.getElementById("call")?.hidden);
    await page.evaluate(AXE);
    for (const colorScheme of ["light", "dark"] as const) {
      for (const width of [1100, 390]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        const found = await page.evaluate(async () => {
          const { axe } = globalThis as unknown as {
            axe: { run(): Promise<{ violations: { id: string; nodes: unknown[] }[] }> };
          };
          return (await axe.run()).violations.map(({ id, nodes }) => `${id} ${JSON.stringify(nodes).slice(0, 300)}`);
        });
        expect(found).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      }
    }
  },
);
