import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { beforeAll, expect, test } from "vitest";
import { install, installLibrary } from "../../scripts/lib/install.ts";
import { webhookInbox } from "../../src/stores/sqlite/index.js";
import { createWebhookHandler, signWebhook } from "../../src/webhooks/index.js";
import { APPLICATIONS, SCHOOL } from "./builds/applications.ts";

const BUILDS = join(import.meta.dirname, "builds");
const SECRET = "the secret of production";

beforeAll(() => {
  install(import.meta.dirname);
  install(BUILDS);
  installLibrary(BUILDS);
});

test.each(Object.entries(APPLICATIONS))(
  "a build of %s ends without environment, and handles and writes nothing",
  async (name, { files, build: [program, ...args], built }) => {
    const folder = join(BUILDS, ".artefacts", name.replace(" ", ""));
    const data = join(folder, "data");
    rmSync(folder, { recursive: true, force: true });
    const all = { ...files, "school.mjs": SCHOOL.replaceAll("FOLDER", data) };
    for (const [file, content] of Object.entries(all)) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      writeFileSync(join(folder, file), content);
    }
    mkdirSync(data);
    await deliver(join(data, "inbox.sqlite"), 3);
    const before = readFileSync(join(data, "inbox.sqlite"));

    const path = program.startsWith(".") ? join(folder, program) : join(BUILDS, "node_modules", program);
    const { PATH, HOME } = process.env;
    const off = { CI: "1", NEXT_TELEMETRY_DISABLED: "1", ASTRO_TELEMETRY_DISABLED: "1", NUXT_TELEMETRY_DISABLED: "1" };
    const run = (given: readonly string[], env = {}) => end(folder, given, { PATH, HOME, ...off, ...env });
    const { status, printed } = await run([path, ...args]);
    expect({ status, printed: status === 0 ? "" : printed }).toEqual({ status: 0, printed: "" });
    expect(existsSync(join(folder, built))).toBe(true);
    // The build, or the server that it wrote, has loaded the module.
    expect(existsSync(join(data, "loaded"))).toBe(true);
    expect(readdirSync(data).sort()).toEqual(["inbox.sqlite", "loaded"]);
    expect(readFileSync(join(data, "inbox.sqlite")).equals(before)).toBe(true);

    // The same module handles the deliveries as soon as it is used.
    const use = `const { receiver } = await import("./school.mjs"); receiver.start(); await receiver.drain(); await receiver.close();`;
    await run(["--input-type=module", "-e", use], { WEBHOOK_SECRET: SECRET });
    expect(readFileSync(join(data, "handled"), "utf8")).toBe("1\n2\n3\n");
  },
);

/** Leaves deliveries in an inbox, as a process does that ends before it handles them. */
async function deliver(file: string, count: number): Promise<void> {
  const database = new DatabaseSync(file);
  const receiver = createWebhookHandler({ signature: { secrets: SECRET }, store: webhookInbox(database) });
  for (let id = 1; id <= count; id++) {
    const body = JSON.stringify({ tenant_id: "t", educator: "a", event: "course.updated", event_data: { id } });
    const headers = { ...(await signWebhook({ body, secrets: SECRET })), "content-type": "application/json" };
    const response = await receiver(new Request("http://localhost/webhooks", { method: "POST", body, headers }));
    expect(response.status).toBe(200);
  }
  await receiver.close();
  database.close();
}

async function end(
  cwd: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ status: number | null; printed: string }> {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: 100_000 });
  const [out, failure, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { status: status as number | null, printed: out + failure };
}
