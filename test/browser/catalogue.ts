// Uses examples/browser as a visitor would: looks, scrolls, searches, and takes screenshots.
import { equal, match, ok } from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Observed } from "../../scripts/check-package/chromium.ts";

/**
 * Checks that the catalogue loads, scrolls on endlessly, searches, and says when the list is complete. Saves
 * screenshots to the folder.
 */
export async function catalogue({ page, violations }: Observed, pictures: string): Promise<string> {
  await mkdir(pictures, { recursive: true });
  const picture = (name: string) => page.screenshot({ path: join(pictures, `catalogue-${name}.png`) });
  const cards = page.locator(".course:not(.skeleton)");
  const status = page.getByRole("status");
  const idle = () => page.locator('#courses[aria-busy="false"]').waitFor();

  // While loading, the catalogue shows placeholder cards and a text for screen readers. A script in the page records
  // this, because on a busy machine the test would look too late.
  await page.addInitScript(() => {
    const shown: string[] = [];
    Object.assign(globalThis, { shown });
    new MutationObserver(() => {
      if (document.querySelector(".skeleton")) shown.push(document.querySelector("[role=status]")?.textContent ?? "");
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });
  await page.reload();
  const loading = () => page.waitForFunction(() => (globalThis as unknown as { shown: string[] }).shown.splice(0)[0]);
  match(String(await (await loading()).jsonValue()), /Loading courses/, "what a screen reader is told");
  await picture("loading");

  await idle();
  const first = await cards.count();
  ok(first >= 12, `${first} courses on the first screen`);
  ok((await page.getByRole("link", { name: /^Sign up for / }).count()) === first, "every card has a link with a name");

  for (let screen = 0; (await cards.count()) < first + 36; screen++) {
    ok(screen < 20, `scrolling stopped at ${await cards.count()} courses`);
    await page.mouse.wheel(0, 4000);
    await page.waitForTimeout(300);
  }
  await idle();
  const names = await cards.locator("h2").allInnerTexts();
  const links = await page
    .getByRole("link", { name: /^Sign up for / })
    .evaluateAll((all) => all.map((a) => a.getAttribute("href")));
  equal(new Set(links).size, links.length, "a course came twice");
  await page.evaluate(() => scrollTo(0, 0));
  await picture("scrolled");

  // Types a search: the current search stops, and the new one starts at its first page.
  const word = names[0]?.split(" ")[0] ?? "";
  await page.evaluate(() => (globalThis as unknown as { shown: string[] }).shown.splice(0));
  await page.getByLabel("Search").pressSequentially(word, { delay: 40 });
  await loading();
  await idle();
  const found = await cards.locator("h2").allInnerTexts();
  ok(found.length > 0 && found.every((name) => name.includes(word)), `a search for ${word} found ${found.join(", ")}`);
  ok(found.length < names.length, "the search shows all courses");
  await picture("search");

  await page.getByLabel("Category").selectOption({ index: 1 });
  await idle();
  await page.getByLabel("Search").fill("no course is called so");
  await page.getByText("No course matches").waitFor();
  equal(await cards.count(), 0);

  // Reads a small category to its end.
  await page.getByLabel("Search").fill(word);
  for (let screen = 0; !/^All \d+ courses$/.test(await status.innerText()); screen++) {
    ok(screen < 100, `the end does not come: ${await status.innerText()}`);
    await page.mouse.wheel(0, 4000);
    await page.waitForTimeout(200);
  }
  const [, total] = /^All (\d+) courses$/.exec(await status.innerText()) ?? [];
  equal(await cards.count(), Number(total));
  equal((await violations()).join("; "), "");
  return `${names.length} courses scrolled, search for ${word}: ${total} in one category`;
}
