import { cp } from "node:fs/promises";
import { join } from "node:path";
import { catalogue } from "../../../test/browser/catalogue.ts";
import {
  exercise,
  hiddenHeaders,
  keyInPage,
  plainPreflights,
  plainRequests,
  policy,
  refusals,
  zodConfiguration,
} from "../../../test/browser/checks.ts";
import { run } from "../../lib/process.ts";
import type { Site } from "../../lib/static-site.ts";
import type { Chromium, Observed } from "../chromium.ts";
import { type Context, type Passed, type Row, servePage } from "../row.ts";
import type { Service } from "../service.ts";
import { ROOT } from "../workspace.ts";

const GROUP = "bundlers";

/** Checks in a real browser that go beyond the smoke suite, which the row of every bundler runs. */
export const BROWSER_ROWS: readonly Row[] = [
  row("browser-policy", "src/page.js", async ({ page, chromium, build }) => {
    const control = await servePage(await build("src/unsafe.js"));
    try {
      const observed = await chromium.open(control.url);
      await observed.result();
      const note = await policy(page, observed);
      await observed.close();
      return note;
    } finally {
      await control.close();
    }
  }),
  row("browser-zod", "src/host.js", ({ page }) => zodConfiguration(page)),
  row("browser-headers", "src/library.js", async ({ page, service, site }) => {
    // Once from the service's own origin, through the page's server, and once from another origin.
    const from = service.received.length;
    await exercise(page, { baseUrl: site.url, apiKey: service.apiKey });
    const sameOrigin = plainRequests(service.received.slice(from));
    const across = service.received.length;
    await exercise(page, { baseUrl: `${service.url}/cors`, apiKey: service.apiKey });
    plainRequests(service.received.slice(across));
    return `${sameOrigin}; ${plainPreflights(service.received.slice(across))}`;
  }),
  row("browser-hidden-headers", "src/library.js", ({ page, service }) => hiddenHeaders(page, service)),
  row("browser-key", "src/library.js", ({ page, service }) => keyInPage(page, service)),
  row("browser-refusals", "src/library.js", ({ page, service }) => refusals(page, service)),
  { name: "example-browser", group: GROUP, run: example },
];

/** Builds examples/browser with Vite against the packed package and uses it like a visitor. */
async function example({ workspace, chromium }: Context): Promise<Passed> {
  const cwd = await workspace.install(GROUP);
  const folder = join(cwd, "example");
  await cp(join(ROOT, "examples/browser"), folder, { recursive: true });
  const vite = join(cwd, "node_modules/vite/bin/vite.js");
  await run(process.execPath, [vite, "build", folder, "--outDir", join(folder, "dist"), "--logLevel", "warn"], { cwd });
  const site = await servePage(join(folder, "dist"));
  try {
    const browser = await chromium();
    const page = await browser.open(site.url);
    const note = await catalogue(page, join(ROOT, ".artefacts"));
    await page.close();
    return { version: `Chromium ${browser.version}`, note };
  } finally {
    await site.close();
  }
}

interface Scene {
  readonly page: Observed;
  readonly service: Service;
  readonly site: Site;
  readonly chromium: Chromium;
  /** Bundles a page of the bundlers' folder and returns the output folder. */
  build(entry: string): Promise<string>;
}

function row(name: string, entry: string, check: (scene: Scene) => Promise<string>): Row {
  return {
    name,
    group: GROUP,
    async run(context: Context) {
      const cwd = await context.workspace.install(GROUP);
      const build = async (source: string) => {
        const folder = `out-${name}-${source.replaceAll("/", "-")}`;
        await run(process.execPath, ["esbuild.mjs", source, folder], { cwd });
        return join(cwd, folder);
      };
      const [service, chromium] = await Promise.all([context.service(), context.chromium()]);
      const site = await servePage(await build(entry), service);
      try {
        const query = new URLSearchParams({ baseUrl: `${service.url}/exposed`, apiKey: service.apiKey });
        const page = await chromium.open(`${site.url}/?${query}`);
        await page.result();
        const note = await check({ page, service, site, chromium, build });
        await page.close();
        return { version: `Chromium ${chromium.version}`, note };
      } finally {
        await site.close();
      }
    },
  };
}
