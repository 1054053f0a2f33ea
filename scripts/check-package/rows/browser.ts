import { join } from "node:path";
import {
  exercise,
  hiddenHeaders,
  plainPreflights,
  plainRequests,
  policy,
  refusals,
  zodConfiguration,
} from "../../../test/browser/checks.ts";
import type { Chromium, Observed } from "../chromium.ts";
import { run } from "../process.ts";
import type { Context, Row } from "../row.ts";
import type { Service } from "../service.ts";
import { Site } from "../site.ts";

const GROUP = "bundlers";

/** What holds in a real browser beyond the smoke suite, which every bundler's row has run there. */
export const BROWSER_ROWS: readonly Row[] = [
  row("browser-policy", "src/page.js", async ({ page, chromium, build }) => {
    const control = await Site.serve(await build("src/unsafe.js"));
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
    // Once from the service's own origin, through the page's server, and once from another.
    const from = service.received.length;
    await exercise(page, { baseUrl: site.url, apiKey: service.apiKey });
    const own = plainRequests(service.received.slice(from));
    const across = service.received.length;
    await exercise(page, { baseUrl: `${service.url}/cors`, apiKey: service.apiKey });
    plainRequests(service.received.slice(across));
    return `${own}; ${plainPreflights(service.received.slice(across))}`;
  }),
  row("browser-hidden-headers", "src/library.js", ({ page, service }) => hiddenHeaders(page, service)),
  row("browser-refusals", "src/library.js", ({ page, service }) => refusals(page, service)),
];

interface Scene {
  readonly page: Observed;
  readonly service: Service;
  readonly site: Site;
  readonly chromium: Chromium;
  /** Bundles a page of the bundlers' folder and gives its folder. */
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
      const site = await Site.serve(await build(entry), service);
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
