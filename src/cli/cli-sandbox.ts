import { readFileSync } from "node:fs";
import type { ParseArgsOptionsConfig } from "node:util";
import { isPlainObject } from "../core/json.js";
import type { FeatureFlag } from "../core/operation.js";
import type { SandboxData } from "../sandbox/data/store.js";
import type { SandboxSize } from "../sandbox/data/world.js";
import { FEATURE_FLAGS } from "../sandbox/engine/features.js";
import { listen } from "../sandbox/node.js";
import { createSandbox, type Sandbox, type SandboxOptions } from "../sandbox/sandbox.js";
import { parsedOptions } from "./cli-arguments.js";
import { LOGS, printer } from "./sandbox-log.js";
import { fileProblem, listenProblem } from "./system-problem.js";
import { type Command, type Terminal, UsageError } from "./terminal.js";

const USAGE = `Usage: education-admin-sdk sandbox [options]

Serves the education administration service from memory: the Main, Admin and Organization API.

  --port <number>            port to listen on; 0 for any free port       (default 4010)
  --host <address>           address to listen on                         (default 127.0.0.1)
  --seed <number>            the same seed gives the same data            (default 1)
  --size <size>              small, medium, large or a number of people   (default medium)
  --empty                    start without records except the educator, the VAT rates and the payment methods
  --data <file>              add these records: {"accounts": [{"name": "Example Ltd"}]}
  --now <time>               stand still at this time: 2030-01-01T09:00Z  (default: the machine's time)
  --key <text>               API key to accept                            (default: a generated one)
  --no-flag <name>           feature flag to disable; can be repeated. One of
                             ${FEATURE_FLAGS.join(", ")}
  --no-rate-limit            accept any number of requests
  --delay <milliseconds>     wait this long before every response
  --cors                     allow calls from web pages of other origins
  --webhook <url>            send webhooks for every write to this URL
  --webhook-secret <text>    sign them with this secret
  --control                  let programs reset it, add faults and records, and read its calls: GET /__sandbox
  --log <what>               requests, deliveries (of webhooks), all, none, or json: all, and each line
                             of the output is a JSON object         (default all)
  --quiet                    log nothing: the same as --log none, with --log json the first and last line only
  -h, --help                 this text
`;

const OPTIONS = {
  port: { type: "string", default: "4010" },
  host: { type: "string", default: "127.0.0.1" },
  seed: { type: "string", default: "1" },
  size: { type: "string", default: "medium" },
  key: { type: "string" },
  "no-flag": { type: "string", multiple: true, default: [] },
  "no-rate-limit": { type: "boolean", default: false },
  cors: { type: "boolean", default: false },
  control: { type: "boolean", default: false },
  data: { type: "string" },
  webhook: { type: "string" },
  "webhook-secret": { type: "string" },
  empty: { type: "boolean", default: false },
  now: { type: "string" },
  delay: { type: "string", default: "0" },
  log: { type: "string", default: "all" },
  quiet: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const satisfies ParseArgsOptionsConfig;

function readArguments(args: readonly string[]) {
  return parsedOptions("sandbox", args, OPTIONS);
}

/** `education-admin-sdk sandbox --port 4010` */
export const sandboxCommand: Command = {
  async run(args, terminal) {
    const values = readArguments(args);
    if (values.help) terminal.stdout.write(USAGE);
    else await serve(values, terminal);
  },
};

async function serve(values: ReturnType<typeof readArguments>, { stdout }: Terminal): Promise<void> {
  const flags = values["no-flag"];
  const unknown = flags.find((flag) => !(FEATURE_FLAGS as readonly string[]).includes(flag));
  if (unknown !== undefined) throw new UsageError(`--no-flag: "${unknown}" is not one of ${FEATURE_FLAGS.join(", ")}`);
  const { log, quiet } = values;
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
  const data = values.data === undefined ? undefined : readData(values.data);
  const print = printer(log, quiet, stdout);
  const sandbox = create({
    data,
    empty: values.empty,
    now: timeOf(values.now),
    seed: wholeNumber("seed", values.seed),
    size: sizeOf(values.size),
    apiKey: values.key,
    disabledFeatures: flags as FeatureFlag[],
    latency: delayMs,
    ...(values["no-rate-limit"] && { rateLimit: false }),
    onRequest: print.request,
    onDelivery: print.delivery,
  });
  const subscribed = () => subscribe(sandbox, values.webhook, values["webhook-secret"]);
  subscribed();
  // What the command line adds belongs to the state that a reset returns to.
  const { reset } = sandbox;
  sandbox.reset = () => {
    reset();
    subscribed();
  };
  const { cors, control, host } = values;
  const server = await listen(sandbox, { port, host, cors, control }).catch((error: unknown) => {
    const problem = listenProblem(error, host, port);
    throw problem === null ? error : new Error(problem);
  });
  print.ready(server.url, sandbox.apiKey, control);
  const stop = () => void server.close().then(() => print.stopped(sandbox.requests.length));
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
}

function subscribe(sandbox: Sandbox, url: string | undefined, secret: string | undefined): void {
  if (url === undefined) return;
  if (!URL.canParse(url)) throw new UsageError(`--webhook: "${url}" is not a URL`);
  sandbox.webhooks.subscribe({ to: url, secrets: secret });
}

function readData(file: string): SandboxData {
  const wrong = (problem: string) => new UsageError(`--data: ${file} ${problem}`);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw wrong(fileProblem(error));
  }
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw wrong("is not JSON");
  }
  if (!isPlainObject(data)) throw wrong('must hold records by name: {"accounts": [{"name": "Example Ltd"}]}');
  return data;
}

function create(options: SandboxOptions): Sandbox {
  try {
    return createSandbox(options);
  } catch (error) {
    if (error instanceof RangeError && error.message.startsWith("data.")) throw new UsageError(`--${error.message}`);
    throw error;
  }
}

function timeOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new UsageError(`--now: "${text}" is not a time such as 2030-01-01T09:00Z`);
  return time;
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
