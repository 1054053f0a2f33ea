import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { plan } from "../../src/bulk/node.js";
import { writePlanPage } from "../../src/cli/serve/plan-page.js";
import { needs, pathOf } from "../support/tools.ts";
import { testFolder } from "./support/folder.js";
import { people, school } from "./support/school.js";

// Opens the page without scripts, as readers do, or with scripts enabled, to prove that none runs.
async function openPage(file: string, javaScriptEnabled: boolean) {
  const browser = await chromium.launch({ executablePath: pathOf("chromium"), args: ["--no-sandbox", "--headless"] });
  onTestFinished(() => browser.close());
  const context = await browser.newContext({ javaScriptEnabled, viewport: { width: 1100, height: 800 } });
  const page = await context.newPage();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  page.setDefaultTimeout(30_000);
  await page.goto(pathToFileURL(file).href);
  const { metrics } = await session.send("Performance.getMetrics");
  const seconds = metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
  return { page, asked, seconds };
}

async function pageOf(count: number) {
  const at = testFolder();
  const { client } = school();
  const refused = [{ email: "none@example.com", last_name: "No first name" }];
  await plan(client.users, [...people(count - 1), ...refused] as never, { to: at("a.plan"), key: "email" });
  await writePlanPage(at("a.plan"), at("a.html"));
  return { file: at("a.html"), ...(await openPage(at("a.html"), false)) };
}

test(
  "10,000 rows open in processor time proportional to their number, and load nothing else",
  needs("chromium"),
  async () => {
    const few = await pageOf(1_000);
    const { page, asked, seconds, file } = await pageOf(10_000);
    const [some, all] = [few.seconds, seconds].map((each) => Math.round(each * 1000));
    console.info(`10,000 rows opened in ${all} ms of processor time, 1,000 in ${some}`);
    expect(few.seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThan(8 * few.seconds);
    expect(asked).toEqual([pathToFileURL(file).href]);
    expect(await page.evaluate(() => document.querySelectorAll("tbody tr").length)).toBe(10_000);
  },
);

test(
  "without scripts, the keyboard filters rows, rows fit a phone, and all rows are printed",
  needs("chromium"),
  async () => {
    const { page } = await pageOf(600);
    const visibleRows = () =>
      page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>("tbody tr")]
          .filter((row) => row.getClientRects().length > 0)
          .map((row) => [...row.children].map(({ textContent }) => textContent?.trim())),
      );
    await page.focus("#all");
    await page.keyboard.press("ArrowRight");
    const refused = ["600", "refused", "none@example.com", "is missing.", "No first name"];
    expect(await visibleRows()).toEqual([refused]);
    await page.keyboard.press("ArrowLeft");
    const all = await visibleRows();
    expect([all.length, all[0]]).toEqual([600, refused]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await page.emulateMedia({ media: "print" });
    expect(await page.evaluate(() => document.querySelector("fieldset")?.getClientRects().length)).toBe(0);
    expect(await visibleRows()).toHaveLength(600);
  },
);

const INJECTIONS = [
  "<script>globalThis.ran=1</script>",
  "<img src=x onerror=globalThis.ran=1>",
  "<svg/onload=globalThis.ran=1>",
  '"><script>globalThis.ran=1</script>',
  "'><img src=x onerror=globalThis.ran=1>",
  "</td></tr></table><iframe srcdoc='<script>parent.ran=1</script>'>",
  "</style><script>globalThis.ran=1</script>",
  "</title><script>globalThis.ran=1</script>",
  "--><script>globalThis.ran=1</script><!--",
  "<a href=javascript:globalThis.ran=1 autofocus onfocus=globalThis.ran=1>x</a>",
  "<style>@import 'http://127.0.0.1:9/a.css';</style>",
  "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>",
  "<base href=http://127.0.0.1:9/>",
  "<form action=http://127.0.0.1:9/><button autofocus>x</button></form>",
  "<link rel=stylesheet href=http://127.0.0.1:9/a.css>",
  "<object data=http://127.0.0.1:9/a></object>",
  "<template><script>globalThis.ran=1</script></template><video src=x onerror=globalThis.ran=1>",
  "&lt;script&gt;globalThis.ran=1&lt;/script&gt;",
  "]]><script>globalThis.ran=1</script>",
  "<details open ontoggle=globalThis.ran=1>x</details>",
];

test("of 200 injections in cells, none runs, loads anything or creates an element", needs("chromium"), async () => {
  const at = testFolder();
  const { client } = school();
  // Each injection occurs in fields that are sent, in keys, in refused rows, and in the old and the new value of a
  // change.
  const rows = INJECTIONS.flatMap((text, n) => [
    { email: `a${n}@example.com`, first_name: text, last_name: `x${text}` },
    { email: `b${n}@example.com`, first_name: `${text}${text}`, last_name: text.toUpperCase() },
    { email: `c${n}@example.com`, first_name: "", last_name: text, locale: text },
    { email: `d${n}@example.com`, first_name: `${text} `, last_name: ` ${text}`, middle_name: text },
    { email: text, first_name: text, last_name: `\n${text}` },
  ]);
  expect(rows.flatMap((row) => Object.values(row)).filter((cell) => /[<&]/.test(cell)).length).toBeGreaterThanOrEqual(
    200,
  );
  await plan(client.users, rows as never, { to: at("a.plan"), key: "email" });
  await writePlanPage(at("a.plan"), at("a.html"));
  const { page, asked } = await openPage(at("a.html"), true);
  const names = await page.evaluate(() => [
    ...new Set([...document.querySelectorAll("tbody *")].map(({ localName }) => localName)),
  ]);
  expect(names.sort()).toEqual(["bdi", "ins", "p", "span", "td", "tr"]);
  expect(await page.evaluate(() => "ran" in globalThis)).toBe(false);
  expect(asked).toEqual([pathToFileURL(at("a.html")).href]);
  expect(await page.locator("tbody tr").count()).toBe(rows.length);

  // The content security policy alone would suffice: it also protects a page whose cells are not escaped.
  const raw = readFileSync(at("a.html"), "utf8").replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
  writeFileSync(at("raw.html"), raw);
  const unescaped = await openPage(at("raw.html"), true);
  expect(await unescaped.page.evaluate(() => document.scripts.length)).toBeGreaterThan(0);
  expect(await unescaped.page.evaluate(() => "ran" in globalThis)).toBe(false);
});
