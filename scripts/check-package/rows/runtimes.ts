import { join } from "node:path";
import { run } from "../../lib/process.ts";
import { type Context, type Passed, type Row, rowIn } from "../row.ts";
import { runSmoke } from "../steps.ts";

const ARM = process.arch === "arm64";
const GROUP = "runtimes";
const BUN = `@oven/bun-linux-${ARM ? "aarch64" : "x64"}`;

/**
 * The same smoke suite on every runtime. The binaries come from npm packages, one per platform. The system's Chromium
 * is covered by the rows for bundlers and browsers.
 */
export const RUNTIME_ROWS: readonly Row[] = [
  // 22.18 is the oldest version that engines allows; the others are the newest of their release lines.
  ...(["22.18", "22", "24", "26"] as const).map((line) => ({
    name: `node-${line}`,
    group: GROUP,
    run: (context: Context) => moduleRuntime(context, `node-${line}-${ARM ? "arm64" : "x64"}/bin/node`, []),
  })),
  {
    name: "bun",
    group: GROUP,
    run: (context) => moduleRuntime(context, `${BUN}/bin/bun`, ["run"]),
  },
  {
    name: "deno",
    group: GROUP,
    // Deno gets no permission to read the environment or system information, because the package needs neither.
    run: (context) =>
      moduleRuntime(context, `@deno/linux-${ARM ? "arm64" : "x64"}-glibc/deno`, [
        "run",
        "--no-prompt",
        "--allow-net=127.0.0.1",
        "--allow-read=.",
      ]),
  },
  rowIn(GROUP, "bun-test", BUN, async (cwd) => {
    await run(join(cwd, "node_modules", BUN, "bin/bun"), ["test", "./bun-test.ts"], { cwd });
    return "expect(call).rejects and resolves";
  }),
  { name: "workerd", group: GROUP, run: workerd },
];

async function moduleRuntime(context: Context, binary: string, args: readonly string[]): Promise<Passed> {
  const cwd = await context.workspace.install(GROUP);
  const command = join(cwd, "node_modules", binary);
  await run(command, [...args, "require.cjs"], { cwd });
  // The server of this program needs permissions that Deno does not get here.
  if (!binary.includes("deno")) await run(command, [...args, "hostile.mjs"], { cwd, timeout: 300_000 });
  return runSmoke(context, command, [...args, "program.mjs"], { cwd });
}

async function workerd(context: Context): Promise<Passed> {
  const cwd = await context.workspace.install(GROUP);
  const name = `@cloudflare/workerd-linux-${ARM ? "arm64" : "64"}`;
  const version = await context.workspace.versionOf(GROUP, name);
  const binary = join(cwd, "node_modules", name, "bin/workerd");
  return runSmoke(context, process.execPath, ["workerd.mjs", binary], { cwd, version });
}
