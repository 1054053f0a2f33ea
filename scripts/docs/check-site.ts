// Looks at the site that `npm run docs` has written, in Chromium: its navigation, a class, and what searches find first. The
// pictures it takes are in .artefacts/site.
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { why } from "../../test/support/tools.ts";
import { Chromium } from "../check-package/chromium.ts";
import { ROOT } from "../lib/generated.ts";
import { guides } from "../lib/guides.ts";

const PICTURES = `${ROOT}.artefacts/site`;

/** What readers search for, and the guide that must come first. */
const SEARCHES: Readonly<Record<string, RegExp>> = {
  "429": /^Rate limits/,
  retry: /^Errors/,
  "webhook signature": /^Webhooks/,
  "rate limit": /^Rate limits/,
  export: /^Exports/,
};

if (why("chromium") === null) await checkSite();

async function checkSite(): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  const chromium = await Chromium.launch();
  try {
    const { page } = await chromium.open(addressOf("index.html"), { width: 1400, height: 1000 });
    await page.waitForSelector(".tsd-navigation details summary");
    await checkNavigation(page);
    await picture(page, "home");
    for (const [words, expected] of Object.entries(SEARCHES)) {
      const found = await search(page, words);
      console.log(`search "${words}": ${found.slice(0, 3).join(" · ")}`);
      ok(expected.test(found[0] ?? ""), `the search for "${words}" finds ${found[0]} first`);
    }
    await page.goto(addressOf("classes/index.Accounts.html"));
    const [first = ""] = await page
      .locator(".tsd-member-group > summary h2, .tsd-member-group > .tsd-accordion-summary")
      .allTextContents();
    strictEqual(first.trim(), "Methods", "a class begins with its methods");
    await picture(page, "class");
    await page.goto(addressOf(`documents/Rate_limits.html`));
    await picture(page, "guide");
  } finally {
    await chromium.close();
  }
}

async function checkNavigation(page: Page): Promise<void> {
  const chapters = page.locator("#tsd-nav-container > li > details > summary");
  deepStrictEqual(await chapters.allInnerTexts(), ["Guides", "API", "Reference", "Decisions"]);
  const named = await page.locator("#tsd-nav-container > li").first().locator("li").allTextContents();
  deepStrictEqual(
    named,
    guides().map(({ title }) => title),
    "guides are named by their titles, in their order",
  );
  const all = await page.locator("#tsd-nav-container summary").allTextContents();
  ok(!all.includes("Other"), "a folder of src is in no chapter of scripts/docs/chapters.ts");
  console.log(`navigation: ${named.length} guides, ${all.length} chapters`);
}

async function search(page: Page, words: string): Promise<string[]> {
  // A new page, whose results are empty until those of these words come.
  await page.goto(addressOf("index.html"));
  await page.keyboard.press("Control+k");
  await page.fill("#tsd-search-input", words);
  const results = page.locator("#tsd-search-results li");
  await results.first().waitFor();
  return results.allInnerTexts();
}

async function picture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `${PICTURES}/${name}.png` });
}

function addressOf(file: string): string {
  return pathToFileURL(`${ROOT}docs/site/${file}`).href;
}
