#!/usr/bin/env node
import { parseArgs } from "node:util";
import type * as z from "zod/mini";
import type { Schema } from "../core/model.js";
import { allOperations } from "../operations.js";
import type { SandboxSize } from "./data/world.js";
import type { FeatureFlag } from "./engine/behaviour.js";
import type { RecordedRequest } from "./engine/engine.js";
import { listen } from "./node.js";
import { createSandbox, type Sandbox } from "./sandbox.js";

const USAGE = `Usage: education-admin-sdk sandbox [options]

Serves the education administration service from memory: the Main, Admin and Organization API.

  --port <number>            port to listen at; 0 takes a free one        (default 4010)
  --host <address>           address to listen at                         (default 127.0.0.1)
  --seed <number>            the same seed gives the same data            (default 1)
  --size <size>              small, medium, large or a number of people   (default medium)
  --key <text>               API key to accept                            (default: one is made)
  --no-flag <name>           feature flag to switch off; may be repeated: "Custom objects", "Departments", "Programs"
  --no-rate-limit            let any number of requests in
  --cors                     let web pages of other origins call it
  --webhook <url>            send webhooks of what is written there
  --webhook-secret <text>    sign them with this secret
  --quiet                    no request log
  --help                     this text
`;

const FLAGS: readonly FeatureFlag[] = ["Custom objects", "Departments", "Programs"];

/** A mistake in the command line: its message is for the person who typed it. */
class UsageError extends Error {}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        port: { type: "string", default: "4010" },
        host: { type: "string", default: "127.0.0.1" },
        seed: { type: "string", default: "1" },
        size: { type: "string", default: "medium" },
        key: { type: "string" },
        "no-flag": { type: "string", multiple: true, default: [] },
        "no-rate-limit": { type: "boolean", default: false },
        cors: { type: "boolean", default: false },
        webhook: { type: "string" },
        "webhook-secret": { type: "string" },
        quiet: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

async function main(args: readonly string[]): Promise<void> {
  const { values, positionals } = readArguments(args);
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  if (positionals.length !== 1 || positionals[0] !== "sandbox") throw new UsageError("the one command is: sandbox");
  const flags = values["no-flag"];
  const unknown = flags.find((flag) => !(FLAGS as readonly string[]).includes(flag));
  if (unknown !== undefined) throw new UsageError(`--no-flag: "${unknown}" is none of ${FLAGS.join(", ")}`);
  const sandbox = createSandbox({
    seed: wholeNumber("seed", values.seed),
    size: sizeOf(values.size),
    apiKey: values.key,
    disabledFeatures: flags as FeatureFlag[],
    ...(values["no-rate-limit"] && { rateLimit: false }),
    ...(!values.quiet && { onRequest: (request) => process.stdout.write(`${logLine(request)}\n`) }),
  });
  subscribe(sandbox, values.webhook, values["webhook-secret"]);
  const server = await listen(sandbox, {
    port: wholeNumber("port", values.port),
    host: values.host,
    cors: values.cors,
  });
  process.stdout.write(`Sandbox ready. Press Ctrl-C to stop.
  baseUrl  ${server.url}
  apiKey   ${sandbox.apiKey}
`);
  const stop = () => {
    server.close().then(() => process.stdout.write(`\nStopped after ${sandbox.requests.length} requests.\n`));
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
}

function subscribe(sandbox: Sandbox, url: string | undefined, secret: string | undefined): void {
  if (url === undefined) return;
  if (!URL.canParse(url)) throw new UsageError(`--webhook: "${url}" is no address`);
  sandbox.webhooks.subscribe({ to: url, secrets: secret });
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`--${name} must be a whole number`);
  return Number(text);
}

function sizeOf(text: string): SandboxSize {
  if (text === "small" || text === "medium" || text === "large") return text;
  if (!/^\d+$/.test(text)) throw new UsageError("--size must be small, medium, large or a whole number");
  return Number(text);
}

// Says what was asked and answered. Values that could be somebody's, such as what is searched for, are left out.
function logLine({ operation, method, path, query, status, at }: RecordedRequest): string {
  const time = new Date(at).toISOString().slice(11, 19);
  const asked = query.map(([name, value]) => `${name}=${isPlain(operation, name) ? value : "…"}`).join("&");
  const what = operation ?? "unknown path";
  const answer = status === null ? "broken off" : String(status);
  return `${time}  ${answer.padEnd(3)}  ${method.padEnd(6)} ${path}${asked === "" ? "" : `?${asked}`}  ${what}`;
}

function isPlain(operation: string | null, name: string): boolean {
  if (name === "per_page" || name === "page") return true;
  const query = allOperations.find(({ id }) => id === operation)?.query as z.ZodMiniObject | undefined;
  const field = query?.shape[name.replace(/\[\]$/, "")] as Schema | undefined;
  return field !== undefined && holdsNoText(field);
}

function holdsNoText(schema: Schema): boolean {
  const def = schema._zod.def as z.core.$ZodTypes["_zod"]["def"];
  switch (def.type) {
    case "optional":
    case "nullable":
      return holdsNoText(def.innerType as Schema);
    case "array":
      return holdsNoText(def.element as Schema);
    case "union":
      return def.options.some((option) => holdsNoText(option as Schema));
    default:
      return def.type === "number" || def.type === "boolean" || def.type === "enum";
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(error instanceof UsageError ? `${message}\n\n${USAGE}` : `${message}\n`);
  process.exitCode = 1;
});
