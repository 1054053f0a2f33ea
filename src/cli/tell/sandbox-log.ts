import { fieldsOf, traitsOf } from "../../core/schema/traits.js";
import { isLoopback } from "../../core/service.js";
import { allOperations } from "../../operations.js";
import type { RecordedRequest } from "../../sandbox/engine/calls.js";
import type { SandboxDelivery } from "../../sandbox/engine/subscription.js";
import { leavesOf } from "../../work/fields/text.js";
import { pluralize } from "../../work/pluralize.js";
import type { Output } from "../terminal.js";

export const LOGS: readonly string[] = ["requests", "deliveries", "all", "none", "json"];

interface Served {
  readonly url: string;
  readonly apiKey: string;
  readonly controlled: boolean;
  /** Path of the sandbox's console; undefined if there is none. */
  readonly page: string | undefined;
  /** Time at which the sandbox's clock is frozen; undefined if the clock runs. */
  readonly stands: string | undefined;
}

/** Creates a printer for one of {@link LOGS}. Omits text that could be personal, such as searches and unknown paths. */
export function printer(log: string, quiet: boolean, stdout: Output) {
  const print = (line: string, event: object) =>
    void stdout.write(`${log === "json" ? JSON.stringify(event) : line}\n`);
  const logs = (what: string) => !quiet && (log === "all" || log === "json" || log === what);
  return {
    ready({ url: baseUrl, apiKey, controlled, page, stands }: Served) {
      // By default the client sends no key over plain HTTP to another machine.
      const needs = isLoopback(new URL(baseUrl).hostname) ? "" : "  (clients need allowInsecureHttp: true)";
      const more = {
        ...(page && { console: baseUrl + page }),
        ...(controlled && { control: `${baseUrl}/__sandbox` }),
      };
      const lines = Object.entries(more).map(([name, address]) => `\n  ${name}  ${address}`);
      if (stands) lines.push(`\n  clock    frozen at ${stands}, so a used-up rate limit does not reset`);
      const frozen = stands !== undefined && { frozenAt: stands };
      print(
        `Sandbox ready. Press Ctrl-C to stop.\n  baseUrl  ${baseUrl}${needs}\n  apiKey   ${apiKey}${lines.join("")}`,
        { type: "ready", baseUrl, apiKey, ...more, ...frozen },
      );
    },
    request(request: RecordedRequest) {
      if (!logs("requests")) return;
      const { operation, method, status } = request;
      const at = new Date(request.at).toISOString();
      const target = operation === null ? null : targetOf(request);
      const what = target === null ? "(unknown path)" : `${target}  ${operation}`;
      const answer = status === null ? "no answer" : String(status);
      const event = { type: "request", at, operation, method, target, status };
      print(`${at.slice(11, 19)}  ${answer.padEnd(3)}  ${method.padEnd(6)} ${what}`, event);
    },
    delivery({ id, event, outcome, status }: SandboxDelivery) {
      if (!logs("deliveries")) return;
      print(`webhook   ${status ?? outcome}  ${event}  ${id}`, { type: "delivery", id, event, outcome, status });
    },
    stopped: (requests: number) =>
      print(`\nStopped after ${pluralize(requests, "request")}.`, { type: "stopped", requests }),
  };
}

function targetOf({ operation, path, query }: RecordedRequest): string {
  const asked = query.map(([name, value]) => `${name}=${isPlain(operation, name) ? value : "…"}`).join("&");
  return asked === "" ? path : `${path}?${asked}`;
}

const TEXTLESS: readonly string[] = ["number", "boolean", "enumeration"];

function isPlain(operation: string | null, name: string): boolean {
  if (name === "per_page" || name === "page") return true;
  const query = allOperations.find(({ id }) => id === operation)?.query;
  const field = fieldsOf(query)[name.replace(/\[\]$/, "")];
  return field !== undefined && leavesOf(field).every((leaf) => TEXTLESS.includes(traitsOf(leaf).kind));
}
