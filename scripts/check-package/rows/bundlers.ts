import { stat } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../process.ts";
import type { Context, Passed, Row } from "../row.ts";
import { Site } from "../site.ts";
import { checkSteps } from "../steps.ts";

/** Browser builds, each run in Chromium under a strict Content-Security-Policy; then builds for a server. */
export const BUNDLER_ROWS: readonly Row[] = [
  ...(["vite", "webpack", "esbuild", "rollup", "rolldown"] as const).map((tool) => ({
    name: `${tool}`,
    run: (context: Context) => browserBuild(context, tool),
  })),
];

async function browserBuild(context: Context, tool: string): Promise<Passed> {
  const cwd = await context.workspace.install("bundlers");
  const version = await context.workspace.versionOf("bundlers", tool);
  const folder = `out-${tool}`;
  const args = tool === "vite" ? ["vite.mjs", folder] : [`${tool}.mjs`, "src/page.js", folder];
  await run(process.execPath, args, { cwd });
  const size = tool === "vite" ? "" : `, ${Math.round((await stat(join(cwd, folder, "page.js"))).size / 1000)} kB`;
  const chromium = await context.chromium();
  const note = await runPage(context, join(cwd, folder));
  return { version, note: `${note} in Chromium ${chromium.version}${size}` };
}

// The page is on another origin than the service, as pages usually are.
async function runPage(context: Context, folder: string): Promise<string> {
  const { url, apiKey } = await context.service();
  const chromium = await context.chromium();
  const site = await Site.serve(folder);
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
