import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, preview } from "vite";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Chromium } from "../../scripts/check-package/chromium.ts";
import { freePort, start } from "../support/program.ts";
import { needs } from "../support/tools.ts";
import { root } from "./support/code-blocks.ts";
import { place } from "./support/place.ts";
import { writeTask } from "./support/tasks.ts";

// A separate project, like a reader's, so that React does not become a dependency of the library. Ignored by Git.
const FOLDER = join(root, ".artefacts/react-page");
const MANIFEST = join(root, "test/docs/react");
const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    jsx: "react-jsx",
    module: "ESNext",
    moduleResolution: "Bundler",
    target: "ES2023",
    lib: ["ES2023", "DOM", "DOM.Iterable"],
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
    skipLibCheck: true,
    noEmit: true,
  },
  include: ["*.ts", "*.tsx"],
};
const [, HTML = ""] = /```html\n(.*?)```/s.exec(readFileSync(join(root, "docs/guides/react-page.md"), "utf8")) ?? [];

beforeAll(() => {
  install();
  writeTask("react-page", FOLDER);
  writeFileSync(join(FOLDER, "tsconfig.json"), JSON.stringify(TSCONFIG));
  writeFileSync(join(FOLDER, "index.html"), HTML);
});

// Installs again only if the lockfile has changed.
function install(): void {
  const lock = readFileSync(join(MANIFEST, "package-lock.json"), "utf8");
  const mark = join(FOLDER, "installed");
  if (existsSync(mark) && readFileSync(mark, "utf8") === lock) return;
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  cpSync(MANIFEST, FOLDER, { recursive: true });
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: FOLDER });
  symlinkSync(root, join(FOLDER, "node_modules/education-admin-sdk"), "dir");
  writeFileSync(mark, lock);
}

describe("the page in React", needs("chromium"), () => {
  test("compiles as strictly as the library", () => {
    execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", FOLDER], { encoding: "utf8" });
  });

  test("reads on at the end of its list, shows errors at their fields, and writes through its own route", async () => {
    const { sandbox, cwd, env } = await place();
    const { catalogProducts: products } = sandbox.store;
    for (const { id } of products) products.update(id, { is_published: true });
    while (products.count < 25) products.insert({ name: `Course ${products.count}`, is_published: true });
    const port = await freePort();
    const server = start(join(FOLDER, "server.ts"), [], { cwd, env: { ...env, PORT: String(port) } });
    onTestFinished(() => void server.process.kill("SIGKILL"));
    const url = await serve(`http://127.0.0.1:${port}`);
    const chromium = await Chromium.launch();
    onTestFinished(() => chromium.close());
    const { page } = await chromium.open(url, { width: 700, height: 800 });

    const items = page.locator("li");
    await expect.poll(() => items.count()).toBe(10);
    await page.getByRole("button", { name: "More" }).click();
    await expect.poll(() => items.count()).toBe(20);
    await page.getByRole("button", { name: "More" }).click();
    await expect.poll(() => items.count()).toBe(25);
    expect(await page.getByRole("button", { name: "More" }).isDisabled(), "More is disabled").toBe(true);
    expect(await items.last().textContent()).toBe("Course 24");

    const before = sandbox.store.leads.count;
    await page.locator("[name=email]").fill("ada@home");
    await page.getByRole("button", { name: "Send" }).click();
    const alerts = page.locator("p em");
    await expect.poll(() => alerts.allTextContents()).toEqual(["must not be empty", "is not an e-mail address"]);
    await page.screenshot({ path: join(root, ".artefacts/react-page.png"), fullPage: true });
    expect(await page.locator("[name=email]").inputValue()).toBe("ada@home");

    await page.locator("[name=title]").fill("First aid for a team");
    await page.locator("[name=email]").fill("ada@example.org");
    await page.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => page.getByRole("status").textContent()).toBe("Thank you.");
    expect(sandbox.store.leads.count).toBe(before + 1);
    expect(await alerts.allTextContents()).toEqual(["", ""]);

    sandbox.faults.next({ operation: "leads.create", reset: true, applied: true });
    await page.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => page.getByRole("status").textContent()).toContain("We do not know");
    sandbox.revokeKey(sandbox.apiKey);
    await page.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => page.getByRole("status").textContent()).toBe("This could not be sent.");
    // Neither the page nor its scripts contain the key.
    expect(await page.content()).not.toContain(sandbox.apiKey);
  });
});

/** Serves the built page with Vite, which forwards requests to the application's server. */
async function serve(server: string): Promise<string> {
  const shared = { root: FOLDER, configFile: false, logLevel: "error" } as const;
  await build(shared);
  const proxy = { "/school": server, "/leads": server };
  const page = await preview({ ...shared, preview: { host: "127.0.0.1", port: 0, proxy } });
  onTestFinished(() => page.close());
  return page.resolvedUrls?.local[0] as string;
}
