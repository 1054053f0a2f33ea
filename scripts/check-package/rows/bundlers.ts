import { stat } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../../lib/process.ts";
import type { Context, Passed, Row } from "../row.ts";
import { servePage } from "../row.ts";
import { checkSteps, runSmoke } from "../steps.ts";

const GROUP = "bundlers";

/** Browser builds, each run in Chromium under a strict Content-Security-Policy, then server builds. */
export const BUNDLER_ROWS: readonly Row[] = [
  ...(["vite", "webpack", "esbuild", "rollup", "rolldown"] as const).map((tool) => ({
    name: tool,
    group: GROUP,
    run: (context: Context) => browserBuild(context, tool),
  })),
  { name: "server-bundle-webpack", group: GROUP, run: (context) => serverBuild(context, "webpack", "route.cjs") },
  { name: "server-bundle-esbuild", group: GROUP, run: (context) => serverBuild(context, "esbuild", "route.mjs") },
];

async function browserBuild(context: Context, tool: string): Promise<Passed> {
  const cwd = await context.workspace.install(GROUP);
  const version = await context.workspace.versionOf(GROUP, tool);
  const folder = `out-${tool}`;
  const args = tool === "vite" ? ["vite.mjs", folder] : [`${tool}.mjs`, "src/page.js", folder];
  await run(process.execPath, args, { cwd });
  const size = tool === "vite" ? "" : `, ${Math.round((await stat(join(cwd, folder, "page.js"))).size / 1000)} kB`;
  const chromium = await context.chromium();
  const note = await runPage(context, join(cwd, folder));
  return { version, note: `${note} in Chromium ${chromium.version}${size}` };
}

// Bundles as Next does for a route: one file with all dependencies, run by Node.
async function serverBuild(context: Context, tool: string, file: string): Promise<Passed> {
  const cwd = await context.workspace.install(GROUP);
  const version = await context.workspace.versionOf(GROUP, tool);
  const folder = `out-server-${tool}`;
  await run(process.execPath, [`${tool}.mjs`, "src/route.js", folder, "server"], { cwd });
  return runSmoke(context, process.execPath, ["run-route.mjs", join(folder, file)], { cwd, version });
}

// The page's origin differs from the service's, as is usual.
async function runPage(context: Context, folder: string): Promise<string> {
  const { url, apiKey } = await context.service();
  const chromium = await context.chromium();
  const site = await servePage(folder);
  try {
    const query = new URLSearchParams({ baseUrl: `${url}/exposed`, apiKey });
    const observed = await chromium.open(`${site.url}/?${query}`);
    try {
      const { steps } = await observed.result<{ steps: string[] }>();
      const violations = await observed.violations();
      if (violations.length > 0) throw new Error(`policy violations: ${violations.join("; ")}`);
      return checkSteps(steps);
    } finally {
      await observed.close();
    }
  } finally {
    await site.close();
  }
}
