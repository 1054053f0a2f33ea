import type { Row } from "../row.ts";
import { runSmoke } from "../steps.ts";

/** Node's two module systems, and the sandbox as a module, a server and a command. */
export const NODE_ROWS: readonly Row[] = [
  program("node-import", "node", ["esm.mjs"]),
  program("node-require", "node", ["require.cjs"]),
  program("node-sandbox", "node", ["sandbox.mjs"]),
];

/** Hosts with their own zod, or with none (the group `node`). */
export const HOST_ROWS: readonly Row[] = [
  program("host-zod-3", "zod-3", ["host.mjs"], "zod"),
  program("host-zod-4", "zod-4", ["host.mjs"], "zod"),
  program("host-zod-none", "node", ["without-zod.mjs"]),
];

function program(name: string, group: string, args: readonly string[], versionOf?: string): Row {
  return {
    name,
    group,
    async run(context) {
      const cwd = await context.workspace.install(group);
      const version = versionOf && `zod ${await context.workspace.versionOf(group, versionOf)}`;
      return runSmoke(context, process.execPath, args, { cwd, ...(version && { version }) });
    },
  };
}
