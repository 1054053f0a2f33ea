import { appendFileSync } from "node:fs";
import { assistantTools } from "../assistant/tools.js";
import type { AssistantAudit, AssistantOptions, AssistantTool, Shown } from "../assistant/types.js";
import { EducationAdminError } from "../core/errors.js";
import { type Connection, connection, names, positiveNumber, wholeNumber } from "./cli-arguments.js";
import { type Command, Option } from "./cli-commander.js";
import { clientFor, settingsOf } from "./cli-connection.js";
import { fileProblem, listenProblem } from "./system-problem.js";
import { type Terminal, UsageError } from "./terminal.js";

interface Values extends Connection {
  readonly access: "read" | "plan";
  readonly plans: string;
  readonly resources?: readonly string[];
  readonly show?: readonly string[];
  readonly requests: number;
  readonly maxTokens: number;
  readonly audit?: string;
  readonly http?: number;
}

const TOKEN = "EDUCATION_ADMIN_MCP_TOKEN";
const SHORTEST_TOKEN = 32;

const DESCRIPTION =
  "Gives an assistant tools that read the school, by the Model Context Protocol: over stdin and stdout, or with --http on 127.0.0.1. Personal fields are hidden unless --show names their class. Nothing is ever written; with --access plan the assistant can prepare plans, which a person applies with bulk apply.";

/** `education-admin-sdk mcp --show names` */
export function mcpCommand(command: Command, terminal: Terminal): void {
  command
    .description(DESCRIPTION)
    .addOption(
      new Option("--access <access>", "read, or plan: also prepare plans of writes")
        .choices(["read", "plan"])
        .default("read"),
    )
    .option("--plans <folder>", "where plans are written", "plans")
    .option("--resources <names>", "only these: courses,invoices (default: all that the key may read)", names)
    .option("--show <classes>", "of names, contact, numbers, notes and custom, those to show (default: none)", names)
    .option("--requests <number>", "most requests of a session", positiveNumber, 100)
    .option("--max-tokens <number>", "most tokens of an answer", positiveNumber, 2_000)
    .option("--audit <file>", "append a line of JSON for each call, without values")
    .option("--http <port>", `serve on 127.0.0.1 instead; needs a token of 32 bytes or more in ${TOKEN}`, wholeNumber);
  connection(command).action((values: Values) => serve(values, terminal));
}

async function serve(values: Values, terminal: Terminal): Promise<void> {
  const newTools = toolMaker(values, terminal);
  const tools = newTools();
  if (values.http !== undefined) return serveOverHttp(values.http, values, terminal, newTools);
  // Loaded only now: it is as large as the rest of the command line together.
  const [{ serveStdio }, { mcpServer }] = await Promise.all([
    import("./cli-mcp-protocol.js"),
    import("./cli-mcp-server.js"),
  ]);
  const handle = serveStdio(() => mcpServer(() => tools));
  terminal.stop?.addEventListener("abort", () => void handle.close(), { once: true });
}

async function serveOverHttp(
  port: number,
  values: Values,
  terminal: Terminal,
  newTools: () => readonly AssistantTool[],
): Promise<void> {
  const token = settingsOf(terminal, values.envFile)[TOKEN]?.trim() ?? "";
  if (Buffer.byteLength(token) < SHORTEST_TOKEN) {
    throw new UsageError(
      `--http needs a token of ${SHORTEST_TOKEN} bytes or more in ${TOKEN}. Make one: node -p "crypto.randomBytes(32).toString('hex')"`,
    );
  }
  const { serveHttp } = await import("./cli-mcp-http.js");
  const server = await serveHttp(port, token, newTools).catch((error: unknown) => {
    throw new UsageError(listenProblem(error, "127.0.0.1", port) ?? String(error));
  });
  terminal.stdout.write(`${server.url}\n`);
  if (!terminal.stop) return;
  await new Promise<void>((resolve) => terminal.stop?.addEventListener("abort", () => resolve(), { once: true }));
  await server.close();
}

// A session's tools, each with a budget of their own. @throws UsageError when an option is wrong.
function toolMaker(values: Values, terminal: Terminal): () => readonly AssistantTool[] {
  const { access, plans, resources, show, requests, maxTokens, audit } = values;
  const client = clientFor(terminal, values, { onWait: () => undefined });
  const options: AssistantOptions = {
    access,
    resources,
    show: show as readonly Shown[] | undefined,
    requests,
    maxTokens,
    ...(access === "plan" && { plans }),
    ...(audit !== undefined && { audit: auditor(audit, terminal) }),
  };
  return () => {
    try {
      return assistantTools(client, options);
    } catch (error) {
      if (!(error instanceof EducationAdminError)) throw error;
      throw new UsageError(error.message.replace(/^assistantTools: /, "--"));
    }
  };
}

function auditor(file: string, { stderr }: Terminal): (entry: AssistantAudit) => void {
  try {
    appendFileSync(file, "");
  } catch (error) {
    throw new UsageError(`--audit: ${file} ${fileProblem(error)}`);
  }
  let isTold = false;
  return (entry) => {
    try {
      appendFileSync(file, `${JSON.stringify(entry)}\n`);
    } catch (error) {
      // A full disk ends no session, but people who rely on the audit must learn of it.
      if (!isTold)
        stderr.write(`--audit: ${file} ${fileProblem(error)}; calls are missing there from ${entry.at} on\n`);
      isTold = true;
    }
  };
}
