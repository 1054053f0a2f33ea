// Checks, in Chromium, the site that `npm run docs` has written: page sizes, phones, accessibility in light and dark
// mode, the first search results and the API pages. It checks only the pages and programs that the commit draws, or all
// of them with DRAW=all.
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { globSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { drawCases } from "../../test/support/amount.ts";
import { reportMissing } from "../../test/support/tools.ts";
import { Chromium } from "../check-package/chromium.ts";
import { ROOT } from "../lib/generated.ts";
import { guides } from "../lib/guides.ts";
import { serveSite } from "../lib/static-site.ts";
import { checkRuns } from "../run-in-page/check.ts";
import { checkLooks } from "./check-looks.ts";
import { measureSearch } from "./search.ts";

const SITE = `${ROOT}docs/site`;
const MOST_BYTES = 150_000;
const MOST_ELEMENTS = 1_500;
// Shares of the pages, and of the programs with a Run button.
const FIRST_VISITS = 0.1;
const LOOKED_AT = 0.05;
const CLICKED = 0.03;
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const GUIDES = guides().map(({ file }) => `/${file.replace(/\.md$/, ".html")}`);
const share = <Case>(all: readonly Case[], part: number): Case[] => drawCases(all, Math.ceil(all.length * part));

if (reportMissing("chromium") === null) await checkSite();

async function checkSite(): Promise<void> {
  const { pages, bytes } = measure();
  console.log(`site: ${pages.length} pages, ${(bytes / 1_000_000).toFixed(1)} MB`);
  ok(pages.length > 150, "the whole site is there");
  checkLinks(pages);
  const site = await serveSite(SITE);
  const chromium = await Chromium.launch();
  try {
    await checkFirstVisits(chromium, site.url);
    await checkPages(chromium, site.url, pages);
    await checkSearch(chromium, site.url);
    await checkParts(chromium, site.url);
    await checkLooks(chromium, violations);
    await checkRuns(chromium, site.url, violations, (programs) => share(programs, CLICKED));
  } finally {
    await chromium.close();
    await site.close();
  }
}

function measure(): { pages: string[]; bytes: number } {
  const files = globSync("**", { cwd: SITE }).filter((file) => statSync(join(SITE, file)).isFile());
  const bytes = files.reduce((sum, file) => sum + statSync(join(SITE, file)).size, 0);
  return { pages: files.filter((file) => file.endsWith(".html")).map((file) => `/${file}`), bytes };
}

/** Checks that links lead to existing pages and headings. */
function checkLinks(pages: readonly string[]): void {
  const read = (page: string) => readFileSync(SITE + page, "utf8");
  const ids = new Map(
    pages.map((page) => [page, new Set([...read(page).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
  );
  const dead = pages.flatMap((page) =>
    [...read(page).matchAll(/ href="(\/[^"#]*)?(?:#([^"]+))?"/g)].flatMap(([href, path, id]) => {
      const to = path === undefined ? page : path.replace(/\/$/, "/index.html").replace(/^(.*\/[^.]+)$/, "$1.html");
      if (!to.endsWith(".html")) return [];
      const known = ids.get(to);
      return known && (id === undefined || known.has(decodeURIComponent(id))) ? [] : [`${page}:${href}`];
    }),
  );
  deepStrictEqual(dead, []);
  console.log(`links: all of ${pages.length} pages link only to existing pages and headings`);
}

/** Opens the drawn guides in a browser with an empty cache. */
async function checkFirstVisits(chromium: Chromium, url: string): Promise<void> {
  const queue = share(GUIDES, FIRST_VISITS);
  const visited = queue.length;
  const most = { bytes: 0, elements: 0 };
  await inTwoPages(async () => {
    for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
      const { page, close } = await chromium.open("about:blank", DESK);
      const session = await page.context().newCDPSession(page);
      await session.send("Network.enable");
      let bytes = 0;
      session.on("Network.loadingFinished", ({ encodedDataLength }) => {
        bytes += encodedDataLength;
      });
      await page.goto(url + path);
      const elements = await page.locator("*").count();
      ok(bytes <= MOST_BYTES, `${path}: ${bytes} bytes at the first visit`);
      ok(elements <= MOST_ELEMENTS, `${path}: ${elements} elements`);
      most.bytes = Math.max(most.bytes, bytes);
      most.elements = Math.max(most.elements, elements);
      await close();
    }
  });
  console.log(
    `first visits: ${visited} of ${GUIDES.length} guides, at most ${most.bytes} bytes and ${most.elements} elements`,
  );
}

/**
 * Checks that no page and no line of code scrolls sideways on a phone or a desktop, and that axe-core finds nothing
 * serious in light or dark mode.
 */
async function checkPages(chromium: Chromium, url: string, pages: readonly string[]): Promise<void> {
  const queue = share(pages, LOOKED_AT);
  const looked = queue.length;
  const found: string[] = [];
  await inTwoPages(async () => {
    const { page, close } = await chromium.open("about:blank", PHONE);
    for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      await page.goto(url + path);
      for (const viewport of [DESK, PHONE]) {
        await page.setViewportSize(viewport);
        const wide = await page.evaluate(() =>
          [document.documentElement, ...document.querySelectorAll("pre")].map(
            (one) => one.scrollWidth - one.clientWidth,
          ),
        );
        if (wide.some((pixels) => pixels > 0))
          found.push(`${path} scrolls sideways at ${viewport.width}: ${wide} pixels`);
      }
      for (const violation of await violations(page)) found.push(`${path}: ${violation}`);
      await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
      await page.locator("html.dark").waitFor({ state: "attached" });
      // In dark mode only the colors differ, so only their contrast is checked again.
      for (const violation of await violations(page, ["color-contrast"])) found.push(`${path} in dark: ${violation}`);
    }
    await close();
  });
  deepStrictEqual(found, []);
  console.log(`${looked} of ${pages.length} pages: none scrolls sideways, no violation, light and dark`);
}

/** Returns the violations that axe-core finds, for the given rules or for all. */
async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async (runOnly) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(options: object): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>;
      };
    };
    const { violations: all } = await axe.run({ resultTypes: ["violations"], ...(runOnly && { runOnly }) });
    return all
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}, ${nodes.length} times: ${nodes[0]?.html.slice(0, 150)}`);
  }, rules);
}

/** Tries one search in the search field, and all searches in the index that it reads. */
async function checkSearch(chromium: Chromium, url: string): Promise<void> {
  const { page, close } = await chromium.open(`${url}/index.html`, DESK);
  await page.waitForLoadState("networkidle");
  await page.locator("#local-search button").first().click();
  await page.fill("#localsearch-input", "who owes");
  await page.locator('#localsearch-list .result[href^="/docs/guides/overdue-invoices.html"]').first().waitFor();
  await close();
  const { lines, problems } = await measureSearch(SITE);
  deepStrictEqual(problems, []);
  console.log(lines.join("\n"));
}

async function checkParts(chromium: Chromium, url: string): Promise<void> {
  const { page, close } = await chromium.open(`${url}/index.html`, DESK);
  await page.waitForLoadState("networkidle");
  await page.goto(url + GUIDES[0]);
  const listed = await page
    .locator(".VPSidebar a.link")
    .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
  const guidesListed = listed.filter((address) => address?.startsWith("/docs/guides/"));
  deepStrictEqual(guidesListed, GUIDES, "the sidebar lists the guides in their order");
  await page.goto(url + GUIDES[1]);
  deepStrictEqual(
    await page.locator(".prev-next a").evaluateAll((links) => links.map((link) => link.getAttribute("href"))),
    [GUIDES[0], GUIDES[2]],
  );
  await page.goto(url + GUIDES[0]);
  ok((await page.locator("button.copy").count()) > 0, "code can be copied");
  await checkTabs(page);
  await page.goto(`${url}/docs/api/resources/invoices.html`);
  const said = await page.locator("main").innerText();
  for (const text of ["GET /api/v1/invoices", "invoices:read", "account_id", "total_open", "client.invoices.list("])
    ok(said.includes(text), `the page of invoices says ${text}`);
  const missing = await page.goto(`${url}/docs/guides/no-such-page.html`);
  strictEqual(missing?.status(), 404);
  // The error page's script renders the link back.
  await page.getByRole("link").first().waitFor();
  await close();
}

async function checkTabs(page: Page): Promise<void> {
  for (const [manager, command] of [
    ["npm", "npm install education-admin-sdk"],
    ["pnpm", "pnpm add education-admin-sdk"],
    ["bun", "bun add education-admin-sdk"],
  ] as const) {
    await page.getByText(manager, { exact: true }).first().click();
    const shown = await page.locator(".vp-code-group .active").first().innerText();
    ok(shown.includes(command), `${manager}: ${command}`);
  }
}

/** Works through a queue in two pages in parallel; the browser renders each page in its own process. */
async function inTwoPages(work: () => Promise<void>): Promise<void> {
  await Promise.all([work(), work()]);
}
