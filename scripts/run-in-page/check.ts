// Clicks Run buttons of the site in Chromium and compares the output with the program's output in Node.
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { write } from "../../test/docs/support/compile.ts";
import { run } from "../../test/docs/support/run.ts";
import { makeFolder } from "../../test/support/type-check.ts";
import type { Chromium } from "../check-package/chromium.ts";
import { ROOT } from "../lib/generated.ts";
import { PROGRAMS, type SiteProgram } from "./marks.ts";

/** The number of characters of a program's output that the tests keep. */
const KEPT = 10_000;

/** A time limit that even a busy machine can meet. */
const LONGEST_MS = 120_000;

/** Output of the page after a click. */
interface Shown {
  readonly output: string;
  readonly status: string;
  readonly requests: number;
}

/**
 * Clicks the buttons of the drawn programs. `look` checks each page and returns the problems found.
 * @throws Error naming the programs whose output in the page differs from Node.
 */
export async function checkRuns(
  chromium: Chromium,
  url: string,
  look: (page: Page) => Promise<string[]>,
  draw: (programs: readonly SiteProgram[]) => readonly SiteProgram[],
): Promise<void> {
  await checkPanel(chromium, url, look);
  const programs = draw(PROGRAMS.filter(({ needs }) => needs === null));
  const printed = await inNode(programs);
  const places = placesOf().filter(({ name }) => programs.some((program) => program.name === name));
  const queue = [...Map.groupBy(places, ({ path }) => path)];
  const shown = new Map<string, Shown[]>();
  const elsewhere = new Set<string>();
  const work = async () => {
    const { page, close } = await chromium.open("about:blank");
    page.setDefaultTimeout(LONGEST_MS);
    page.on("request", (request) => {
      if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(url)) elsewhere.add(request.url());
    });
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [path, here] = next;
      await page.goto(`${url}/${path}`);
      for (const { name } of here) {
        const program = programs.find((one) => one.name === name);
        // The program does not wait for the output of listeners.
        const lines = program && hasListeners(program.code) ? distinct(printed.get(name)?.[0] ?? "").length : 0;
        shown.set(name, await clicks(page, name, lines));
      }
    }
    await close();
  };
  await Promise.all([work(), work()]);
  deepStrictEqual([...elsewhere], [], "requests to other hosts");
  report(programs, printed, shown);
}

/**
 * Checks by keyboard, on a phone's screen, that a program runs, can be edited and run again, fails, and can be stopped
 * if it does not end.
 */
async function checkPanel(chromium: Chromium, url: string, look: (page: Page) => Promise<string[]>): Promise<void> {
  const { page, close } = await chromium.open(`${url}/index.html`, { width: 390, height: 844 });
  page.setDefaultTimeout(LONGEST_MS);
  const place = page.locator("[data-program]").first();
  await page.waitForLoadState("networkidle");
  await place.getByRole("button", { name: "Run", exact: true }).focus();
  await page.keyboard.press("Enter");
  await endStatus(place);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    deepStrictEqual(await look(page), []);
  }
  strictEqual(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  const edit = async (code: string, status: string) => {
    await place.getByRole("textbox").focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.type(code);
    await page.keyboard.press("Control+Enter");
    await place.getByRole("status").filter({ hasText: status }).waitFor();
  };
  await edit("const sum: number = 1 + 1;\nconsole.log([sum]);", "Done. Requests: 0");
  strictEqual(await place.getByRole("region", { name: "Output" }).innerText(), "[ 2 ]\n");
  await edit('await fetch("https://elsewhere.example/");', "TypeError: fetch failed");
  await edit("for (;;);", "Running");
  await place.getByRole("button", { name: "Stop" }).click();
  await place.getByRole("status").filter({ hasText: "Stopped" }).waitFor();
  await close();
}

/** Returns the output of two runs in Node; lines that differ between them are not deterministic. */
async function inNode(programs: readonly SiteProgram[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const folder = makeFolder();
  try {
    // All programs are written, because a drawn program may import one that is not drawn.
    const written = write(PROGRAMS, folder).filter(({ name }) => programs.some((one) => one.name === name));
    const outcomes = await Promise.all([run(written), run(written)]);
    const failed = outcomes.flat().filter(({ failure }) => failure !== null);
    deepStrictEqual(failed, [], "programs that fail in Node");
    return new Map(
      programs.map(({ name }) => [name, outcomes.map((all) => all.find((one) => one.name === name)?.output ?? "")]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The first page that shows each program. */
function placesOf(): { readonly name: string; readonly path: string }[] {
  const pages = readdirSync(`${ROOT}docs/site`, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".html"),
  );
  const found = new Map<string, string>();
  for (const path of pages.sort()) {
    const html = readFileSync(`${ROOT}docs/site/${path}`, "utf8");
    for (const [, name = ""] of html.matchAll(/data-program="([^"]+)"/g)) if (!found.has(name)) found.set(name, path);
  }
  return [...found].map(([name, path]) => ({ name, path }));
}

/**
 * Clicks the buttons of a program.
 * @param lines how many different lines the program prints in total; 0 if it waits for all of its output.
 */
async function clicks(page: Page, name: string, lines: number): Promise<Shown[]> {
  const all = page.locator(`[data-program="${name}"]`);
  // Each example is a separate program, and a page may show it twice.
  const places = name.startsWith("src/") ? [all.first()] : await all.all();
  const shown: Shown[] = [];
  for (const [at, place] of places.entries()) {
    await place.getByRole("button", { name: "Run", exact: true }).click();
    const status = await endStatus(place);
    const output = place.locator(".run-panel pre");
    const missing = lines - linesOf(shown.map((part) => part.output).join(""));
    if (at === places.length - 1)
      await page.waitForFunction(hasLines, [await output.elementHandle(), missing] as const);
    const requests = await place.locator("tbody tr").count();
    shown.push({ status, output: (await output.textContent()) ?? "", requests });
  }
  return shown;
}

function hasLines([element, count]: readonly [{ readonly textContent: string | null } | null, number]): boolean {
  return new Set((element?.textContent ?? "").split("\n")).size >= count;
}

function distinct(text: string): string[] {
  return [...new Set(text.split("\n"))];
}

function linesOf(text: string): number {
  return text.split("\n").length - 1;
}

/** The status that the page shows after a program has ended. */
async function endStatus(place: Locator): Promise<string> {
  const status = place.getByRole("status").filter({ hasNotText: /^(Running)?$/ });
  await status.waitFor();
  return status.innerText();
}

function report(
  programs: readonly SiteProgram[],
  printed: ReadonlyMap<string, readonly string[]>,
  shown: ReadonlyMap<string, readonly Shown[]>,
): void {
  const wrong: string[] = [];
  const clicked = { blocks: 0, examples: 0, lines: 0, requests: 0 };
  for (const program of programs) {
    const { name, blocks } = program;
    const parts = shown.get(name) ?? [];
    const [once = "", again = ""] = printed.get(name) ?? [];
    if (parts.length !== blocks.length) wrong.push(`${name}: ${parts.length} of ${blocks.length} blocks have a button`);
    for (const { status } of parts) if (!/^Done/.test(status)) wrong.push(`${name}: ${status}`);
    const output = parts
      .map((part) => part.output)
      .join("")
      .slice(0, KEPT);
    const difference = differenceOf(program, output, once, again);
    if (difference !== null) wrong.push(`${name}: ${difference}`);
    clicked[name.startsWith("src/") ? "examples" : "blocks"] += parts.length;
    clicked.lines += linesOf(once);
    clicked.requests += parts.reduce((sum, { requests }) => sum + requests, 0);
  }
  deepStrictEqual(wrong, []);
  const { blocks, examples, lines, requests } = clicked;
  console.log(`run: ${blocks} blocks and ${examples} examples print in the page what they print in Node: ${lines} lines,
  beside ${requests} requests to the sandbox and none to another host`);
}

/** The first line that differs between the page and Node. */
function differenceOf({ code }: SiteProgram, output: string, once: string, again: string): string | null {
  const [page, node, other] = [output, once, again].map((text) => {
    return hasListeners(code) ? distinct(steady(text)).sort() : steady(text).split("\n");
  }) as [string[], string[], string[]];
  for (const [at, line] of node.entries()) {
    const shown = page[at] ?? "(nothing)";
    const isSame = line === other[at] ? shown === line : maskNumbers(shown) === maskNumbers(line);
    if (!isSame) return `line ${at + 1} is ${shown}, in Node ${line}`;
  }
  return page.length === node.length ? null : `${page.length} lines, in Node ${node.length}`;
}

/**
 * Listeners run after the response to a delivery. How long afterwards they run depends on the platform, and so does
 * whether one runs for a repeated delivery.
 */
function hasListeners(code: string): boolean {
  return code.includes("onEvent");
}

/** Removes stack traces, which name files, durations, and the time of an earlier call in an error. */
function steady(text: string): string {
  const timeless = text.replace(/^ +at .+\n/gm, "").replace(/(?<=\bworked at )\S+/g, "#");
  return timeless.replace(/\d+(?= ms\b)|(?<=\bdurationMs"?[:=])\d+/g, "#");
}

/** Removes numbers and random names. */
function maskNumbers(line: string): string {
  return line.replace(/[\w-]{16,}|[\w-]*\d[\w-]*/g, "#");
}
