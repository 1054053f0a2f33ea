// Checks the sandbox's console and the HTML page of a plan in the built package: both must be accessible, and the
// console must fit on one screen.
import { deepStrictEqual, ok } from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { Page } from "playwright-core";
import type { Chromium } from "../check-package/chromium.ts";
import { ROOT } from "../lib/generated.ts";

const COMMAND = `${ROOT}dist/cli/cli.js`;
const KEY = "key";
const FIRMS = [
  "Firm;E-mail;Street;Town;Code;Land",
  "Template Ltd;a@example.com;Main Street 1;Delft;2611 AB;NL",
  ";b@example.com;Old Street 2;Leiden;2311 CD;NL",
  "Sample Ltd;c@example.com;New Street 3;Utrecht;3511 EF;Nowhere",
];
const COLUMNS = {
  name: "Firm",
  email: "E-mail",
  "address_attributes.address": "Street",
  "address_attributes.city": "Town",
  "address_attributes.postal_code": "Code",
  "address_attributes.country": "Land",
};

/** @throws AssertionError if the console needs more than one screen, or if axe-core reports a problem. */
export async function checkLooks(chromium: Chromium, look: (page: Page) => Promise<string[]>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "looks-"));
  const args = ["sandbox", "--port", "0", "--size", "small", "--key", KEY];
  const sandbox = spawn(process.execPath, [COMMAND, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [address = ""] = await waitForText(sandbox.stdout, /http:\S+__sandbox\/#\S+/);
    const { origin } = new URL(address);
    const asked = ["accounts?per_page=3", "invoices/7", "accounts/9999", "courses", "enrollments?per_page=5"];
    for (const path of asked) await fetch(`${origin}/api/v1/${path}`, { headers: { authorization: `Bearer ${KEY}` } });
    writeFileSync(join(folder, "firms.csv"), `${FIRMS.join("\n")}\n`);
    const run = (...words: string[]) =>
      spawnSync(process.execPath, [COMMAND, "bulk", ...words], {
        cwd: folder,
        env: { ...process.env, EDUCATION_ADMIN_BASE_URL: origin, EDUCATION_ADMIN_API_KEY: KEY },
      }).status;
    const columns = Object.entries(COLUMNS).flatMap(([field, column]) => ["--column", `${field}=${column}`]);
    // Status 1, because rows are refused.
    deepStrictEqual(run("plan", "accounts", "firms.csv", "--to", "firms.plan", "--key", "email", ...columns), 1);
    deepStrictEqual(run("show", "firms.plan", "--html", "firms.html"), 0);
    const found: string[] = [];
    for (const [name, url] of [
      ["console", address],
      ["plan", `file://${folder}/firms.html`],
    ] as const) {
      for (const [width, height] of [
        [1280, 800],
        [390, 844],
      ] as const) {
        const { page, close } = await chromium.open("about:blank", { width, height });
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          await page.goto(url);
          if (name === "console") {
            await page.getByRole("button", { name: "invoices.get" }).click();
            await page.getByRole("heading", { name: "invoices.get: 200" }).waitFor();
          }
          for (const violation of await look(page)) found.push(`${name} at ${width}, ${colorScheme}: ${violation}`);
          const [wide, high] = await page.evaluate(() => [
            document.documentElement.scrollWidth,
            document.documentElement.scrollHeight,
          ]);
          ok(wide <= width, `${name} scrolls sideways at ${width}`);
          ok(name === "plan" || width < 1280 || high <= height, "the console is one screen");
          await page.goto("about:blank");
        }
        await close();
      }
    }
    deepStrictEqual(found, []);
    console.log(
      "console and plan: fit their screens, with no violations in light and dark mode, on a desktop and on a phone",
    );
  } finally {
    sandbox.kill();
    rmSync(folder, { recursive: true });
  }
}

async function waitForText(stream: Readable, pattern: RegExp): Promise<RegExpExecArray> {
  let text = "";
  // Keeps the output open: if this loop closed it, the sandbox would end on printing its next line.
  for await (const part of stream.iterator({ destroyOnReturn: false })) {
    text += String(part);
    const found = pattern.exec(text);
    if (found) {
      stream.resume();
      return found;
    }
  }
  throw new Error(`the sandbox ended without printing ${pattern}: ${text}`);
}
