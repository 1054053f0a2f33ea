import { parseArgs } from "node:util";
import type { Schema } from "../core/model.js";
import type { FeatureFlag } from "../core/operation.js";
import { fieldsOf, traitsOf } from "../core/validation/traits.js";
import { allOperations } from "../operations.js";
import type { SandboxSize } from "../sandbox/data/world.js";
import type { RecordedRequest } from "../sandbox/engine/engine.js";
import { FEATURE_FLAGS } from "../sandbox/engine/features.js";
import type { SandboxDelivery } from "../sandbox/engine/webhooks.js";
import { listen } from "../sandbox/node.js";
import { createSandbox, type Sandbox } from "../sandbox/sandbox.js";
import { type Command, type Terminal, UsageError } from "./terminal.js";

const USAGE = `Usage: education-admin-sdk sandbox [options]

Serves the education administration service from memory: the Main, Admin and Organization API.

  --port <number>            port to listen on; 0 for any free port       (default 4010)
  --host <address>           address to listen on                         (default 127.0.0.1)
  --seed <number>            the same seed gives the same data            (default 1)
  --size <size>              small, medium, large or a number of people   (default medium)
  --empty                    start without records except the educator
  --now <time>               stand still at this time: 2030-01-01T09:00Z  (default: the machine's time)
  --key <text>               API key to accept                            (default: a generated one)
  --no-flag <name>           feature flag to disable; can be repeated. One of
                             ${FEATURE_FLAGS.join(", ")}
  --no-rate-limit            accept any number of requests
  --delay <milliseconds>     wait this long before every response
  --cors                     allow calls from web pages of other origins
  --webhook <url>            send webhooks for every write to this URL
  --webhook-secret <text>    sign them with this secret
  --log <what>               requests, deliveries (of webhooks), all or none  (default all)
  --quiet                    the same as --log none
  -h, --help                 this text
`;

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
        empty: { type: "boolean", default: false },
        now: { type: "string" },
        delay: { type: "string", default: "0" },
        log: { type: "string", default: "all" },
        quiet: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** `education-admin-sdk sandbox --port 4010` */
export const sandboxCommand: Command = {
  async run(args, terminal) {
    const { values, positionals } = readArguments(args);
    if (values.help) terminal.stdout.write(USAGE);
    else if (positionals.length > 0) throw new UsageError("sandbox takes options only");
    else await serve(values, terminal);
  },
};

async function serve(values: ReturnType<typeof readArguments>["values"], { stdout }: Terminal): Promise<void> {
  const flags = values["no-flag"];
  const unknown = flags.find((flag) => !(FEATURE_FLAGS as readonly string[]).includes(flag));
  if (unknown !== undefined) throw new UsageError(`--no-flag: "${unknown}" is not one of ${FEATURE_FLAGS.join(", ")}`);
  const log = values.quiet ? "none" : values.log;
  if (!LOGS.includes(log)) throw new UsageError(`--log must be one of ${LOGS.join(", ")}`);
  for (const name of ["key", "host", "webhook-secret"] as const) {
    if (values[name] === "") throw new UsageError(`--${name} must not be empty`);
  }
  if (values["webhook-secret"] !== undefined && values.webhook === undefined) {
    throw new UsageError("--webhook-secret needs --webhook");
  }
  const port = wholeNumber("port", values.port);
  if (port > 65_535) throw new UsageError("--port must be from 0 to 65535");
  const delayMs = wholeNumber("delay", values.delay);
  const print = (line: string) => stdout.write(`${line}\n`);
  const sandbox = createSandbox({
    empty: values.empty,
    now: timeOf(values.now),
    seed: wholeNumber("seed", values.seed),
    size: sizeOf(values.size),
    apiKey: values.key,
    disabledFeatures: flags as FeatureFlag[],
    ...(values["no-rate-limit"] && { rateLimit: false }),
    ...((log === "all" || log === "requests") && { onRequest: (request) => print(logLine(request)) }),
    ...((log === "all" || log === "deliveries") && { onDelivery: (delivery) => print(deliveryLine(delivery)) }),
  });
  if (delayMs > 0) sandbox.faults.next({ delayMs, times: Number.POSITIVE_INFINITY });
  subscribe(sandbox, values.webhook, values["webhook-secret"]);
  const server = await listen(sandbox, {
    port,
    host: values.host,
    cors: values.cors,
  });
  stdout.write(`Sandbox ready. Press Ctrl-C to stop.
  baseUrl  ${server.url}
  apiKey   ${sandbox.apiKey}
`);
  const stop = () => {
    server.close().then(() => stdout.write(`\nStopped after ${sandbox.requests.length} requests.\n`));
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
}

function subscribe(sandbox: Sandbox, url: string | undefined, secret: string | undefined): void {
  if (url === undefined) return;
  if (!URL.canParse(url)) throw new UsageError(`--webhook: "${url}" is not a URL`);
  sandbox.webhooks.subscribe({ to: url, secrets: secret });
}

const LOGS: readonly string[] = ["requests", "deliveries", "all", "none"];

function timeOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new UsageError(`--now: "${text}" is not a time such as 2030-01-01T09:00Z`);
  return time;
}

function deliveryLine({ id, event, outcome, status }: SandboxDelivery): string {
  return `webhook   ${status ?? outcome}  ${event}  ${id}`;
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`--${name} must be a whole number`);
  return Number(text);
}

function sizeOf(text: string): SandboxSize {
  if (text === "small" || text === "medium" || text === "large") return text;
  if (!/^0*[1-9]\d*$/.test(text)) throw new UsageError("--size must be small, medium, large or a whole number from 1");
  return Number(text);
}

// Leaves out anything that could be personal, such as search texts and unknown paths.
function logLine({ operation, method, path, query, status, at }: RecordedRequest): string {
  const time = new Date(at).toISOString().slice(11, 19);
  const asked = query.map(([name, value]) => `${name}=${isPlain(operation, name) ? value : "…"}`).join("&");
  const answer = status === null ? "no answer" : String(status);
  if (operation === null) return `${time}  ${answer.padEnd(3)}  ${method.padEnd(6)} (unknown path)`;
  return `${time}  ${answer.padEnd(3)}  ${method.padEnd(6)} ${path}${asked === "" ? "" : `?${asked}`}  ${operation}`;
}

function isPlain(operation: string | null, name: string): boolean {
  if (name === "per_page" || name === "page") return true;
  const query = allOperations.find(({ id }) => id === operation)?.query;
  const field = fieldsOf(query)[name.replace(/\[\]$/, "")];
  return field !== undefined && holdsNoText(field);
}

function holdsNoText(schema: Schema): boolean {
  const traits = traitsOf(schema);
  switch (traits.kind) {
    case "optional":
    case "nullable":
      return holdsNoText(traits.inner);
    case "array":
      return holdsNoText(traits.item);
    case "union":
      return traits.options.some(holdsNoText);
    default:
      return traits.kind === "number" || traits.kind === "boolean" || traits.kind === "enumeration";
  }
}
