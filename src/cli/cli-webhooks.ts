import { randomUUID } from "node:crypto";
import type { ParseArgsOptionsConfig } from "node:util";
import type { AdminClient } from "../clients/admin.js";
import type { MainClient } from "../clients/main.js";
import { didYouMean } from "../core/option-checks.js";
import { WebhookEventName } from "../webhooks/events.js";
import { recoverWebhooks } from "../webhooks/recover.js";
import type { ReceivedDelivery } from "../webhooks/store.js";
import {
  apiOf,
  CONNECTION_HELP,
  CONNECTION_OPTIONS,
  columns,
  parsed,
  positiveNumber,
  refuseSecrets,
} from "./cli-arguments.js";
import { clientOf, type Settings, settingsOf } from "./cli-connection.js";
import { pollNotifications, stopSignal } from "./cli-webhooks-listen.js";
import { counted } from "./counted.js";
import { type Forwarded, forward, type Receiver, receiverUrl, timeAgo } from "./forward.js";
import { sampleEvent } from "./sample-event.js";
import { tableOf } from "./table.js";
import { type Command, type Terminal, UsageError } from "./terminal.js";
import { waitLines } from "./wait-lines.js";

const SIGNING = {
  header: { type: "string" },
  "id-header": { type: "string" },
} as const satisfies ParseArgsOptionsConfig;

const OPTIONS = {
  list: { json: { type: "boolean", default: false } },
  listen: {
    ...SIGNING,
    webhook: { type: "string" },
    every: { type: "string", default: "5" },
    since: { type: "string" },
  },
  replay: { ...SIGNING, webhook: { type: "string" }, since: { type: "string" } },
  trigger: { ...SIGNING, id: { type: "string", default: "1" } },
} as const satisfies Record<string, ParseArgsOptionsConfig>;

type Name = keyof typeof OPTIONS;

const SIGNING_HELP = `  --header <name>          header of the signature       (default: webhook-signature)
  --id-header <name>       header with the delivery's identifier   (default: none)
`;

const SECRET_HELP = `
What is sent is signed with the secret in the environment variable WEBHOOK_SECRET, and not signed without it.
`;

const HELP: Readonly<Record<Name, string>> = {
  list: `list [options]

Prints the webhooks of the account. What follows ? in an address is left out: some receivers have a secret there.

Options:
  --json                   a JSON array with the events of each
${CONNECTION_HELP}`,
  listen: `listen <url> [options]

Asks the service again and again what its webhooks have sent or are to send, and posts what is new to an address,
such as one of this machine: no tunnel is needed, and the webhooks keep their own address. Press Ctrl-C to stop.

Options:
  --webhook <id>           only this one                 (default: all of the account)
  --every <seconds>        pause between two requests    (default: 5)
  --since <time>           begin with what was tried since then: 30m, 2h, 1d or a date
${SIGNING_HELP}${CONNECTION_HELP}${SECRET_HELP}`,
  replay: `replay <url> --since <time> [options]

Posts the events that the service has given up sending to an address, each once.
Exit status 1 when one was not accepted.

Options:
  --since <time>           events since then: 30m, 2h, 1d or a date
  --webhook <id>           only those of this one        (default: all of the account)
${SIGNING_HELP}${CONNECTION_HELP}${SECRET_HELP}`,
  trigger: `trigger <event> <url> [options]

Posts an event about a record of the sandbox to an address; the service is not asked.
Exit status 1 when it was not accepted.

Options:
  --id <number>            which record                  (default: 1)
${SIGNING_HELP}  -e, --env-file <file>    a file with WEBHOOK_SECRET
  -h, --help               this text
${SECRET_HELP}
Events:
${columns(WebhookEventName.values)}
`,
};

const USAGE = `Usage: education-admin-sdk webhooks <command> [options]

  listen <url>             posts what the webhooks send to an address, such as one of this machine
  replay <url> --since 2h  posts what the service has given up sending
  trigger <event> <url>    posts an event about a record of the sandbox
  list                     prints the webhooks of the account

education-admin-sdk webhooks <command> --help tells the rest. Nothing is written to the account.
`;

/** `education-admin-sdk webhooks listen http://127.0.0.1:3000/webhooks` */
export const webhooksCommand: Command = {
  async run([name, ...args], terminal) {
    if (name === "--help" || name === "-h") {
      terminal.stdout.write(USAGE);
      return;
    }
    const names = Object.keys(OPTIONS) as Name[];
    if (name === undefined) throw new UsageError(`Which one? One of: ${names.join(", ")}`);
    const known = names.find((one) => one === name);
    if (known === undefined) throw new UsageError(`There is no command "webhooks ${name}"${didYouMean(name, names)}`);
    refuseSecrets(args);
    if (args.includes("--help") || args.includes("-h")) {
      terminal.stdout.write(`Usage: education-admin-sdk webhooks ${HELP[known]}`);
      return;
    }
    await COMMANDS[known](readCommand(known, args, terminal), terminal);
  },
};

interface Asked {
  readonly values: Readonly<Record<string, unknown>>;
  readonly positionals: readonly string[];
  readonly settings: Settings;
  client(): MainClient | AdminClient;
}

function readCommand(name: Name, args: readonly string[], terminal: Terminal): Asked {
  const { values, positionals } = parsed(args, { ...CONNECTION_OPTIONS, ...OPTIONS[name] });
  const most = { list: 0, listen: 1, replay: 1, trigger: 2 }[name];
  if (positionals.length > most)
    throw new UsageError(`webhooks ${name} takes no more than ${counted(most, "argument")}`);
  const settings = settingsOf(terminal, values["env-file"]);
  return {
    values,
    positionals,
    settings,
    client: () => clientOf(apiOf(args) ?? "main", settings, waitLines(terminal.stderr)),
  };
}

const COMMANDS: Readonly<Record<Name, (asked: Asked, terminal: Terminal) => Promise<void>>> = {
  async list({ values, client }, { stdout }) {
    const webhooks = await client().webhooks.list().toArray();
    const shown = webhooks.map(({ url = "", ...webhook }) => ({ ...webhook, url: url.replace(/[?#].*/s, "?…") }));
    if (values.json) stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
    else {
      const rows = shown.map(({ id, active, url, events = [] }) => ({ id, active, events: events.length, url }));
      stdout.write(tableOf(rows, ["id", "active", "events", "url"], stdout.columns ?? Number.POSITIVE_INFINITY));
    }
  },

  async listen(asked, terminal) {
    const receiver = receiverOf(asked, asked.positionals[0]);
    const { webhook, every, since } = asked.values;
    const pauseMs = positiveNumber("every", every) * 1_000;
    const from = since === undefined ? null : timeAgo("since", since, Date.now());
    const client = asked.client();
    const { signal, release } = stopSignal(terminal);
    let sent = 0;
    try {
      tellSigning(receiver, terminal);
      terminal.stderr.write(`Forwarding to ${shownUrl(receiver.url)}. Press Ctrl-C to stop.\n`);
      const notifications = pollNotifications(client, {
        webhook: typeof webhook === "string" ? webhook : null,
        pauseMs,
        since: from,
        signal,
        onError: (error) => terminal.stderr.write(`${error.message}\n`),
      });
      for await (const { event_id, data } of notifications) {
        const forwarded = await forward(receiver, JSON.stringify(data), event_id, signal);
        tell(terminal, forwarded, String(data.event), event_id);
        if (forwarded.accepted) sent++;
      }
    } finally {
      release();
    }
    terminal.stderr.write(`\nStopped after ${counted(sent, "event")}.\n`);
  },

  async replay(asked, terminal) {
    const receiver = receiverOf(asked, asked.positionals[0]);
    const { webhook, since } = asked.values;
    if (since === undefined) throw new UsageError("--since is missing: 2h, or the time at which the outage began");
    const time = timeAgo("since", since, Date.now());
    const client = asked.client();
    tellSigning(receiver, terminal);
    const posted = new Set<string>();
    let refused = 0;
    // A recovery whose inbox posts instead of keeping.
    const put = async ({ id, event, payload }: ReceivedDelivery): Promise<"stored" | "duplicate"> => {
      if (posted.has(id)) return "duplicate";
      posted.add(id);
      const forwarded = await forward(receiver, payload, id);
      tell(terminal, forwarded, event, id);
      if (!forwarded.accepted) refused++;
      return "stored";
    };
    const { unreadable } = await recoverWebhooks(client, {
      inbox: { put },
      since: time,
      sent: "none",
      webhook: typeof webhook === "string" ? webhook : undefined,
    });
    for (const id of unreadable) terminal.stderr.write(`${id} is not an event and was not posted\n`);
    terminal.stderr.write(`${posted.size - refused} of ${counted(posted.size, "event")} accepted.\n`);
    if (refused > 0) throw new Error(`${counted(refused, "event")} ${refused === 1 ? "was" : "were"} not accepted`);
  },

  async trigger(asked, terminal) {
    const [name, url] = asked.positionals;
    const events: readonly string[] = WebhookEventName.values;
    if (name === undefined) {
      throw new UsageError(
        "Which event, and to which address? webhooks trigger lead.created http://127.0.0.1:3000/webhooks",
      );
    }
    if (!WebhookEventName.is(name)) throw new UsageError(`There is no event "${name}"${didYouMean(name, events)}`);
    const receiver = receiverOf(asked, url);
    const id = positiveNumber("id", asked.values.id);
    tellSigning(receiver, terminal);
    const delivery = randomUUID();
    const forwarded = await forward(receiver, await sampleEvent(name, id, Date.now()), delivery);
    tell(terminal, forwarded, name, delivery);
    if (!forwarded.accepted) throw new Error(`The event was not accepted by ${shownUrl(receiver.url)}`);
  },
};

function receiverOf({ values, settings: { values: variables } }: Asked, url: string | undefined): Receiver {
  const { header, "id-header": idHeader } = values;
  return {
    url: receiverUrl(url),
    secret: variables.WEBHOOK_SECRET === "" ? undefined : variables.WEBHOOK_SECRET,
    header: typeof header === "string" ? header : undefined,
    idHeader: typeof idHeader === "string" ? idHeader : undefined,
  };
}

function tellSigning({ secret }: Receiver, { stderr }: Terminal): void {
  if (secret === undefined) stderr.write("Events are sent without a signature: WEBHOOK_SECRET is not set.\n");
}

function tell({ stdout }: Terminal, { answer }: Forwarded, event: string, id: string): void {
  stdout.write(`${new Date().toISOString().slice(11, 19)}  ${answer}  ${event}  ${id}\n`);
}

function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
