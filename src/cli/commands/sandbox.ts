import { isPlainObject } from "../../core/json.js";
import type { FeatureFlag } from "../../core/operation.js";
import type { SandboxMannerOptions } from "../../sandbox/data/manners.js";
import type { SandboxData } from "../../sandbox/data/store.js";
import type { SandboxSize } from "../../sandbox/data/world.js";
import { FEATURE_FLAGS } from "../../sandbox/engine/features.js";
import { listen } from "../../sandbox/node.js";
import type { SandboxOptions } from "../../sandbox/options.js";
import { createSandbox, type Sandbox } from "../../sandbox/sandbox.js";
import { reader, timeOf, wholeNumber } from "../arguments.js";
import { type Command, Option } from "../commander.js";
import { twinIn } from "../files.js";
import { Console } from "../serve/console.js";
import { jsonIn, listenProblem } from "../system-problem.js";
import { LOGS, printer } from "../tell/sandbox-log.js";
import { type Terminal, UsageError } from "../terminal.js";

interface Values {
  readonly port: number;
  readonly host: string;
  readonly seed: number;
  readonly size?: SandboxSize;
  readonly empty?: true;
  readonly data?: string;
  readonly twin?: string;
  readonly now?: Date;
  readonly freeze?: true;
  readonly manners?: SandboxOptions["manners"];
  readonly key?: string;
  readonly flag: readonly string[];
  readonly rateLimit: boolean;
  readonly delay: number;
  readonly cors?: true;
  readonly webhook?: string;
  readonly webhookSecret?: string;
  readonly control?: true;
  readonly console: boolean;
  readonly log: string;
  readonly quiet?: true;
}

/** `education-admin-sdk sandbox --port 4010` */
export function sandboxCommand(command: Command, terminal: Terminal): void {
  const flag = new Option("--no-flag <name>", "feature flag to disable; can be repeated").choices(FEATURE_FLAGS);
  const checked = flag.parseArg;
  const log = new Option("--log <what>", "what to log; json logs everything, as one JSON object per line");
  command
    .description("Imitates the education administration service in memory: the Main, Admin and Organization APIs.")
    .option("--port <number>", "port to listen on; 0 for any free port", portNumber, 4010)
    .option("--host <address>", "address to listen on", notEmpty, "127.0.0.1")
    .option("--seed <number>", "the same seed gives the same data", wholeNumber, 1)
    .option("--size <size>", "small, medium, large or a number of people (default: medium)", sizeOf)
    .option("--empty", "start without records except the educator, the VAT rates and the payment methods")
    .option("--data <file>", 'add these records: {"accounts": [{"name": "Example Ltd"}]}')
    .option("--twin <file>", "imitate the school described in this file, which education-admin-sdk twin wrote")
    .option("--now <time>", "begin at this time, such as 2030-01-01T09:00Z (default: the machine's time)", timeOf)
    .option("--freeze", "freeze the clock until a program advances it, which needs --control")
    .option(
      "--manners <which>",
      "how the sandbox behaves where the API's documentation leaves it open: least-kind (the worst for clients), a seed for random choices, or single choices such as custom=replaced,total=absent",
      mannersIn,
    )
    .option("--key <text>", "API key to accept (default: a generated one)", notEmpty)
    .addOption(
      flag.argParser((text, before: readonly string[]) => [...before, checked?.(text, "") ?? text]).default([], "none"),
    )
    .option("--no-rate-limit", "accept any number of requests")
    .option("--delay <milliseconds>", "wait this long before every response", wholeNumber, 0)
    .option("--cors", "allow calls from web pages of other origins")
    .option("--webhook <url>", "send webhooks to this URL for every write", webhookUrl)
    .option(
      "--webhook-secret <text>",
      "sign webhooks with this secret, including those that clients subscribe to",
      notEmpty,
    )
    .option(
      "--control",
      "let programs reset the sandbox, add faults and records, and read the calls that it received, below /__sandbox",
    )
    .option("--no-console", "leave out the page that shows requests, records and faults, and lets you change them")
    .addOption(log.choices(LOGS).default("all"))
    .option("--quiet", "log nothing; with --log json, print only the first and the last line")
    .action((values: Values) => serve(values, terminal));
}

async function serve(values: Values, { stdout }: Terminal): Promise<void> {
  const data = values.data === undefined ? undefined : readData(values.data);
  const print = printer(values.log, values.quiet === true, stdout);
  const page = values.console ? new Console() : null;
  const { webhook: to, webhookSecret: secrets } = values;
  const sandbox = create({
    data,
    empty: values.empty,
    twin: values.twin === undefined ? undefined : twinIn(values.twin, "--twin"),
    now: values.now,
    freeze: values.freeze === true,
    manners: values.manners,
    seed: values.seed,
    size: values.size,
    apiKey: values.key,
    disabledFeatures: values.flag as FeatureFlag[],
    latency: values.delay,
    webhooks: { secrets },
    ...(!values.rateLimit && { rateLimit: false }),
    onRequest: (request) => {
      print.request(request);
      page?.request(request);
    },
    onDelivery: (delivery) => {
      print.delivery(delivery);
      page?.notifyChange();
    },
  });
  const subscribe = () => void (to !== undefined && sandbox.webhooks.subscribe({ to, secrets }));
  subscribe();
  // A reset also drops the subscription that --webhook made, so subscribe again.
  const { reset } = sandbox;
  sandbox.reset = () => {
    reset();
    subscribe();
  };
  const { cors = false, control = false, host, port } = values;
  const listening = page
    ? listen(page.around(sandbox, { cors, control, host }), { port, host, cors })
    : listen(sandbox, { port, host, cors, control });
  const server = await listening.catch((error: unknown) => {
    const problem = listenProblem(error, host, port);
    throw problem === null ? error : new Error(problem);
  });
  const stop = () => void server.close().then(() => print.stopped(sandbox.requests.length));
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  // Printed last, because a program that reads this line may stop the sandbox right away.
  const stands = values.freeze ? new Date(sandbox.clock.now()).toISOString() : undefined;
  print.ready({ url: server.url, apiKey: sandbox.apiKey, controlled: control, page: page?.path, stands });
}

function readData(file: string): SandboxData {
  const data = jsonIn(file, "--data");
  if (isPlainObject(data)) return data;
  throw new UsageError(
    `--data: ${file} must contain records by collection name: {"accounts": [{"name": "Example Ltd"}]}`,
  );
}

function create(options: SandboxOptions): Sandbox {
  try {
    return createSandbox(options);
  } catch (error) {
    if (error instanceof RangeError && error.message.startsWith("data.")) throw new UsageError(`--${error.message}`);
    const manners = error instanceof RangeError && /option manners\.?(.*)$/s.exec(error.message)?.[1];
    if (manners) throw new UsageError(`--manners: ${manners}`);
    throw error;
  }
}

const mannersIn = /* @__PURE__ */ reader<SandboxOptions["manners"]>(
  "must be least-kind, a whole number, or single choices such as custom=replaced,total=absent",
  (text) => {
    if (text === "least-kind") return "least kind";
    if (/^\d+$/.test(text)) return { seed: Number(text) };
    const named = text.split(",").map((part) => part.split("="));
    return named.every((part) => part.length === 2) ? (Object.fromEntries(named) as SandboxMannerOptions) : undefined;
  },
);

const portNumber = /* @__PURE__ */ reader("must be a whole number from 0 to 65535", (text) =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined,
);
const notEmpty = /* @__PURE__ */ reader("must not be empty", (text) => text || undefined);
const webhookUrl = /* @__PURE__ */ reader("must be a URL", (text) => (URL.canParse(text) ? text : undefined));
const sizeOf = /* @__PURE__ */ reader<SandboxSize>("must be small, medium, large or a positive whole number", (text) =>
  text === "small" || text === "medium" || text === "large" ? text : Number(/^\d+$/.exec(text)) || undefined,
);
