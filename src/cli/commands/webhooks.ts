import { randomUUID } from "node:crypto";
import { didYouMean } from "../../core/option-checks.js";
import { isLoopback } from "../../core/service.js";
import { WebhookEventName } from "../../webhooks/events.js";
import { parseWebhook } from "../../webhooks/payload.js";
import { DEFAULT_HEADER, isHeaderName } from "../../webhooks/receive/signature-header.js";
import { pluralize } from "../../work/pluralize.js";
import { type Connection, connection, helpBelow, positiveNumber, reader, subcommand } from "../arguments.js";
import { Argument, type Command, InvalidArgumentError } from "../commander.js";
import { clientFor, settingsOf } from "../connection.js";
import { interruption } from "../interrupt.js";
import { inColumns } from "../operation-command.js";
import { tableOf } from "../tell/table.js";
import { jsonText, type Terminal, UsageError } from "../terminal.js";
import { type Forwarded, forward, type Receiver, receiverUrl, timeAgo } from "./forward.js";
import { pollNotifications } from "./poll-notifications.js";
import { type SandboxAccess, sampleEvent } from "./sample-event.js";

interface Values extends Connection {
  readonly json?: true;
  readonly webhook?: string;
  readonly every: number;
  readonly since?: Date;
  readonly failed?: true;
  readonly once?: true;
  readonly header?: string;
  readonly id: number;
}

const SECRET_HELP =
  "Requests are signed with the secret in the environment variable WEBHOOK_SECRET, or with several secrets separated by commas. Without it, they are not signed.";

/** `education-admin-sdk webhooks forward http://127.0.0.1:3000/webhooks` */
export function webhooksCommand(group: Command, terminal: Terminal): void {
  group.description("Forwards and tries out webhooks. Nothing is written to the school.");
  const url = () => new Argument("<url>", "where to post: http://127.0.0.1:3000/webhooks").argParser(receiverUrl);
  const forwarding = subcommand(
    group,
    "forward",
    "posts the school's webhook deliveries to your URL, such as one on this machine",
    "Polls for webhook deliveries and POSTs each new one to your URL, such as one on this machine: no tunnel is needed, and the webhooks keep their own URL. Press Ctrl-C to stop. After an outage, --since 2h --failed --once sends again what the service gave up on, each event once.",
  )
    .addArgument(url())
    .option("--webhook <id>", "only this webhook (default: all webhooks of the school)")
    .option("--every <seconds>", "pause between two requests", positiveNumber, 5)
    .option(
      "--since <time>",
      "begin with the deliveries that were tried since this time: 30m, 2h, 1d or a date",
      timeAgo,
    )
    .option("--failed", "only events that the service gave up on; requires --since, set to the start of the outage")
    .option("--once", "with --since: end once every event is posted; exit status 1 if one was not accepted");
  connection(signing(forwarding)).action((to: string, values: Values) => forwardTo(to, values, terminal));
  const trigger = subcommand(
    group,
    "trigger",
    "posts an event about a record of the sandbox",
    "Posts an event about a record of the sandbox to an address, without a request to the service. The record comes from the sandbox at EDUCATION_ADMIN_BASE_URL if that address is on this machine, otherwise from a new sandbox. Exit status 1 if the event was not accepted.",
  )
    .addArgument(new Argument("<event>", "one of the events below").argParser(eventName))
    .addArgument(url())
    .option("--id <number>", "which record", positiveNumber, 1)
    .option("-e, --env-file <file>", "a file with WEBHOOK_SECRET");
  helpBelow(trigger, (width) => `Events:\n${inColumns(WebhookEventName.values, width)}`);
  signing(trigger).action((name: WebhookEventName, to: string, values: Values) =>
    triggerEvent(name, to, values, terminal),
  );
  const list = subcommand(
    group,
    "list",
    "prints the webhooks of the school",
    "Prints the webhooks of the school. Everything after ? in an address is left out, because some receivers have a secret there.",
  ).option("--json", "print a JSON array with each webhook's events");
  connection(list).action((values: Values) => listWebhooks(values, terminal));
}

function signing(command: Command): Command {
  command.option("--header <name>", `header of the signature (default: ${DEFAULT_HEADER})`, headerName);
  return helpBelow(command, () => SECRET_HELP);
}

const headerName = /* @__PURE__ */ reader("must be a valid header name", (text) =>
  isHeaderName(text) ? text : undefined,
);

function eventName(text: string): WebhookEventName {
  if (WebhookEventName.is(text)) return text;
  throw new InvalidArgumentError(`there is no such event${didYouMean(text, WebhookEventName.values)}`);
}

async function listWebhooks(values: Values, terminal: Terminal): Promise<void> {
  const { stdout } = terminal;
  const client = clientFor(terminal, values);
  const webhooks = await client.webhooks.list().toArray();
  const shown = webhooks.map(({ url = "", ...webhook }) => ({ ...webhook, url: url.replace(/[?#].*/s, "?…") }));
  if (values.json) stdout.write(`${jsonText(shown)}\n`);
  else {
    const rows = shown.map(({ id, active, url, events = [] }) => ({ id, active, events: events.length, url }));
    stdout.write(tableOf(rows, ["id", "active", "events", "url"], stdout.columns));
  }
}

async function forwardTo(url: string, values: Values, terminal: Terminal): Promise<void> {
  const { webhook = null, every, since = null, failed = false, once = false } = values;
  if (since === null && (failed || once)) throw new UsageError(`${failed ? "--failed" : "--once"} needs --since`);
  const client = clientFor(terminal, values);
  const receiver = receiverOf(url, values, terminal);
  const { signal, release } = interruption(terminal, "Stopped");
  const { stderr } = terminal;
  let posted = 0;
  let accepted = 0;
  try {
    if (!once) stderr.write(`Forwarding to ${shownUrl(receiver.url)}. Press Ctrl-C to stop.\n`);
    const onError = (error: Error) => stderr.write(`${error.message}\n`);
    const asked = { webhook, pauseMs: every * 1_000, since, failed, once, signal, onError };
    for await (const { event_id, data } of pollNotifications(client, asked)) {
      const body = JSON.stringify(data);
      const forwarded = await forward(receiver, body, signal);
      tell(terminal, forwarded, nameIn(body), event_id);
      posted++;
      if (forwarded.accepted) accepted++;
    }
  } finally {
    release();
  }
  if (!once) stderr.write(`\nStopped after ${pluralize(accepted, "event")}.\n`);
  else {
    signal.throwIfAborted();
    stderr.write(`${accepted} of ${pluralize(posted, "event")} accepted.\n`);
    const refused = posted - accepted;
    if (refused > 0) throw new Error(`${pluralize(refused, "event")} ${refused === 1 ? "was" : "were"} not accepted`);
  }
}

async function triggerEvent(name: WebhookEventName, url: string, values: Values, terminal: Terminal): Promise<void> {
  const receiver = receiverOf(url, values, terminal);
  const delivery = randomUUID();
  const body = await sampleEvent(name, values.id, Date.now(), servedSandbox(values, terminal));
  const forwarded = await forward(receiver, body);
  tell(terminal, forwarded, name, delivery);
  if (!forwarded.accepted) throw new Error(`The event was not accepted by ${shownUrl(receiver.url)}`);
}

// Ignores an address on another machine, because it may be that of a school.
function servedSandbox({ envFile }: Values, terminal: Terminal): SandboxAccess | undefined {
  const { EDUCATION_ADMIN_BASE_URL: baseUrl = "", EDUCATION_ADMIN_API_KEY: apiKey = "" } = settingsOf(
    terminal,
    envFile,
  );
  if (!URL.canParse(baseUrl) || !isLoopback(new URL(baseUrl).hostname) || apiKey === "") return undefined;
  return { baseUrl, apiKey };
}

function receiverOf(url: string, { header, envFile }: Values, terminal: Terminal): Receiver {
  const { WEBHOOK_SECRET } = settingsOf(terminal, envFile);
  if (!WEBHOOK_SECRET) terminal.stderr.write("Events are sent without a signature: WEBHOOK_SECRET is not set.\n");
  return { url, secrets: WEBHOOK_SECRET ? WEBHOOK_SECRET.split(",") : null, header };
}

function tell({ stdout }: Terminal, { answer }: Forwarded, event: string, id: string): void {
  stdout.write(`${new Date().toISOString().slice(11, 19)}  ${answer}  ${event}  ${id}\n`);
}

function nameIn(body: string): string {
  try {
    return parseWebhook(body).event;
  } catch {
    return "(no event)";
  }
}

function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
