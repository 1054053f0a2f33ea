import { AdminClient, type ClientOptions, MainClient, OrganizationClient } from "../../../src/index.js";
import { type FetchCall, jsonResponse, recordingFetch } from "../../support/fetch.js";
import type { ContractApi, ContractOperation } from "./contract-data.js";
import { requiredOf } from "./inputs.ts";

/** The base URL of the clients under test. It contains a path, so that a client that drops the path fails. */
export const BASE_URL = "https://school.example/tenant";

/** A client of one API whose requests are recorded and answered with `answer`, without a network. */
export interface RecordedClient {
  readonly client: MainClient | AdminClient | OrganizationClient;
  readonly calls: FetchCall[];
  /** The body of every response, as JSON; `undefined` means a 204 response without a body. */
  answer: unknown;
}

/** Creates a client of one API with a recording `fetch`. */
export function recordedClient(api: ContractApi, options: ClientOptions = {}): RecordedClient {
  const { fetch, calls } = recordingFetch(() =>
    recorded.answer === undefined ? new Response(null, { status: 204 }) : jsonResponse(recorded.answer),
  );
  const Client = { main: MainClient, admin: AdminClient, organization: OrganizationClient }[api];
  const client = new Client({ baseUrl: BASE_URL, apiKey: "key", fetch, rateLimit: false, ...options });
  const recorded: RecordedClient = { client, calls, answer: undefined };
  return recorded;
}

/** The arguments for calling an operation. */
export interface Given {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

type Method = (...args: unknown[]) => PromiseLike<unknown>;

/** The method with which a client calls an operation, or undefined if the client has none. */
export function methodOf(client: object, { resource, method_name }: ContractOperation): Method | undefined {
  const owner = resource.replace(/^organization\./, "");
  const group = (client as Record<string, Record<string, Method> | undefined>)[owner];
  return group?.[method_name]?.bind(group);
}

/** Calls an operation as a caller would: path parameters, then query or body, then options. */
export function invoke(
  client: object,
  operation: ContractOperation,
  given: Given,
  options?: object,
): PromiseLike<unknown> {
  const method = methodOf(client, operation);
  if (!method) throw new TypeError(`the client has no ${operation.id}`);
  const { params } = operation;
  const args: unknown[] = [];
  if (params.length === 1) args.push(given.params[params[0]?.name ?? ""]);
  else if (params.length > 1) args.push(given.params);
  if (operation.query.length > 0) args.push({ ...requiredOf(operation.query).give, ...given.query });
  if (operation.body("main") !== null) args.push(given.body);
  return method(...args, options);
}

// Members of resources that are not operations of the service.
const BESIDE_OPERATIONS: readonly string[] = ["constructor", "lookup", "getMany"];

/**
 * Every method of every resource of a client, in the form `accounts.list`. The nested client of the Organization API is
 * left out.
 */
export function methodNames(client: object): string[] {
  const names: string[] = [];
  for (const [property, resource] of Object.entries(client)) {
    if (property === "organization") continue;
    for (
      let prototype = Object.getPrototypeOf(resource) as object;
      Object.getPrototypeOf(Object.getPrototypeOf(prototype)) !== null;
      prototype = Object.getPrototypeOf(prototype) as object
    ) {
      for (const name of Object.getOwnPropertyNames(prototype)) {
        if (!BESIDE_OPERATIONS.includes(name)) names.push(`${property}.${name}`);
      }
    }
  }
  return [...new Set(names)].sort();
}
