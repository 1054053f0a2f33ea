import { fieldsOf, traitsOf } from "../../core/schema/traits.js";
import { isLoopback } from "../../core/service.js";
import { allOperations } from "../../operations.js";
import type { RecordedRequest } from "../../sandbox/engine/calls.js";
import type { SandboxDelivery } from "../../sandbox/engine/subscription.js";
import { leavesOf } from "../../work/fields/text.js";
import type { Output } from "../terminal.js";
import { pluralize } from "./pluralize.js";

/** Values of the sandbox command's option `--log`. */
export const LOGS: readonly string[] = ["requests", "deliveries", "all", "none", "json"];

export interface Served {
  readonly url: string;
  readonly apiKey: string;
  readonly controlled: boolean;
  /** Path of the sandbox's console; undefined if there is none. */
  readonly page: string | undefined;
  /** Time at which the sandbox's clock is frozen; undefined if the clock runs. */
  readonly stands: string | undefined;
}

export interface SandboxPrinter {
  ready(served: Served): void;
  readonly request: ((request: RecordedRequest) => void) | undefined;
  readonly delivery: ((delivery: SandboxDelivery) => void) | undefined;
  stopped(requests: number): void;
}

/** Creates a printer for one of {@link LOGS}. Omits text that could be personal, such as searches and unknown paths. */
export function printer(log: string, quiet: boolean, stdout: Output): SandboxPrinter {
  const print = (line: string) => void stdout.write(`${line}\n`);
  const logs = (what: string) => !quiet && (log === "all" || log === "json" || log === what);
  if (log === "json") return jsonPrinter(logs, (event) => print(JSON.stringify(event)));
  return {
    ready: ({ url, apiKey, controlled, page, stands }) => {
      const seen = page === undefined ? "" : `\n  console  ${url}${page}`;
      const control = controlled ? `\n  control  ${url}/__sandbox` : "";
      const still =
        stands === undefined ? "" : `\n  clock    frozen at ${stands}, so a used-up rate limit does not reset`;
      // By default the client sends no key over plain HTTP to another machine.
      const needs = isLoopback(new URL(url).hostname) ? "" : "  (clients need allowInsecureHttp: true)";
      print(
        `Sandbox ready. Press Ctrl-C to stop.\n  baseUrl  ${url}${needs}\n  apiKey   ${apiKey}${seen}${control}${still}`,
      );
    },
    request: logs("requests") ? (request) => print(requestLine(request)) : undefined,
    delivery: logs("deliveries") ? (delivery) => print(deliveryLine(delivery)) : undefined,
    stopped: (requests) => print(`\nStopped after ${pluralize(requests, "request")}.`),
  };
}

function jsonPrinter(logs: (what: string) => boolean, print: (event: object) => void): SandboxPrinter {
  const request = (received: RecordedRequest) => {
    const { operation, method, status, at } = received;
    const target = operation === null ? null : targetOf(received);
    print({ type: "request", at: new Date(at).toISOString(), operation, method, target, status });
  };
  const delivery = ({ id, event, outcome, status }: SandboxDelivery) =>
    print({ type: "delivery", id, event, outcome, status });
  return {
    ready: ({ url: baseUrl, apiKey, controlled, page, stands }) =>
      print({
        type: "ready",
        baseUrl,
        apiKey,
        ...(page && { console: baseUrl + page }),
        ...(controlled && { control: `${baseUrl}/__sandbox` }),
        ...(stands !== undefined && { frozenAt: stands }),
      }),
    request: logs("requests") ? request : undefined,
    delivery: logs("deliveries") ? delivery : undefined,
    stopped: (requests) => print({ type: "stopped", requests }),
  };
}

function deliveryLine({ id, event, outcome, status }: SandboxDelivery): string {
  return `webhook   ${status ?? outcome}  ${event}  ${id}`;
}

function requestLine(request: RecordedRequest): string {
  const { operation, method, status, at } = request;
  const time = new Date(at).toISOString().slice(11, 19);
  const answer = status === null ? "no answer" : String(status);
  const what = operation === null ? "(unknown path)" : `${targetOf(request)}  ${operation}`;
  return `${time}  ${answer.padEnd(3)}  ${method.padEnd(6)} ${what}`;
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
