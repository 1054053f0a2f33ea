import { type CallRequest, inputError } from "../core/call/request.js";
import { copyOf } from "../core/copy.js";
import { InputError, ResponseValidationError } from "../core/errors.js";
import { isPlainObject } from "../core/json.js";
import type { SendPage, SentPage } from "../core/lists/page-source.js";
import type { Pages } from "../core/lists/pages.js";
import type { JoinOptions } from "../core/lists/references.js";
import { type Operation, resourceNameOf } from "../core/operation.js";
import { checkNames, type OptionTable, positive, readOptions } from "../core/option-checks.js";
import type { ListOptions } from "../core/options.js";
import { fieldsOf } from "../core/schema/traits.js";
import { momentOf } from "../core/time.js";
import type { LookupContext } from "./context.js";
import { endTogether } from "./end-together.js";
import type { Identified } from "./known-records.js";
import { RecordReader } from "./record-reader.js";

const MOST_READERS = 100;

// Headers that identify a request or its trace; they do not change which records the service returns.
const CORRELATION = /^(?:traceparent|tracestate|baggage|b3|x-b3-.+|(?:.+-)?(?:request|correlation|trace|span)-?id)$/;

const JOIN_OPTIONS = { maxAge: [positive, 300_000] } satisfies OptionTable<JoinOptions>;

/**
 * Sends the request for a page, and adds to each record the records it refers to, in fields named after the references.
 * @param references `{ student: true }` reads the records that `student_id` identifies.
 * @throws InputError when a reference or an option is wrong; nothing was sent.
 */
export async function sendJoined(
  operation: Operation,
  send: SendPage,
  request: CallRequest,
  references: Readonly<Record<string, true>>,
  given: JoinOptions,
  client: LookupContext,
): Promise<SentPage> {
  const { names, maxAge } = checkJoin(operation, references, given);
  const { clock } = client.settings;
  const { id } = operation;
  const resourceOf = await client.parts.references();
  const options = optionsOf(request);
  // Before anything is sent, refuses references that this client cannot read.
  const readers = names.map((name) => {
    const resource = resourceOf(name, resourceNameOf(id)) ?? "";
    return [name, readerOf(name, resource, options, client)] as const;
  });
  const started = momentOf(clock);
  const { data, response, read: readBefore } = await send(request);
  const records = data as readonly unknown[];
  const { totalTimeout } = request.settings;
  const left = totalTimeout === null ? null : totalTimeout - (momentOf(clock) - started);
  const read = async ([name, reader]: (typeof readers)[number], signal: AbortSignal) => {
    const ids = records.map((record) => idIn(record, name)).filter((found) => found !== null);
    const { onInvalid: _, ...its } = options;
    return [name, await reader.read(ids, maxAge, { ...its, signal })] as const;
  };
  const found = await endTogether(id, { clock, signal: request.signal, left }, (signal) =>
    Promise.all(readers.map((one) => read(one, signal))),
  );
  const joined = records.map((record) => {
    if (typeof record !== "object" || record === null) return record;
    // Copied, because other records and lists may refer to the same record.
    const added = found.map(([name, known]) => [name, copyOf(known.get(idIn(record, name) ?? Number.NaN) ?? null)]);
    return { ...record, ...Object.fromEntries(added) };
  });
  return { data: joined, response, read: readBefore };
}

// The records that a list refers to are read with the list's options, except its query.
function optionsOf({ priority, settings }: CallRequest): ListOptions {
  const { timeout, totalTimeout, retryLimit, backoffLimit, maxRetryAfter, validation, headers, onInvalid } = settings;
  const retry = { limit: retryLimit, backoffLimit, maxRetryAfter };
  // Infinity, because undefined would mean the client's limit.
  const limit = totalTimeout ?? Number.POSITIVE_INFINITY;
  return { priority, timeout, totalTimeout: limit, retry, validation, headers, onInvalid };
}

// Keeps the getters of the options: the list is read for several calls, each with its own signal.
function sharedList(options: ListOptions, onInvalid: ListOptions["onInvalid"]): ListOptions {
  const overrides = { onInvalid, totalTimeout: Number.POSITIVE_INFINITY };
  return Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(options), ...Object.getOwnPropertyDescriptors(overrides) },
  );
}

function idIn(record: unknown, name: string): number | null {
  const given = (record as Record<string, unknown> | null)?.[`${name}_id`];
  // Undocumented: an identifier may be text or an impossible number, such as 0.
  const id = typeof given === "string" ? Number(given) : given;
  return Number.isSafeInteger(id) && (id as number) > 0 ? (id as number) : null;
}

function readerOf(
  name: string,
  resource: string,
  { timeout, retry, validation, headers, onInvalid }: ListOptions,
  client: LookupContext,
): RecordReader {
  // Each set of options has its own reader, because lists with other options may get other records or wait longer.
  const parting = Object.entries(headers ?? {}).filter(([header]) => !CORRELATION.test(header));
  const { transport, readers } = client;
  const { clock, pageSize } = client.settings;
  const key = JSON.stringify([resource, timeout, retry, validation, parting, onInvalid]);
  const known = readers.get(key);
  if (known) return known;
  const rowOf = (method: string) => client.parts.operations().find(({ id }) => id === `${resource}.${method}`) ?? null;
  const row = rowOf("list");
  const get = rowOf("get");
  if (!row && !get) {
    throw new InputError(`with: the client has no operation to read the record that ${name}_id names`, [
      { path: `with.${name}`, message: "cannot be read with this client" },
    ]);
  }
  const reader = new RecordReader(
    {
      resource,
      row,
      list: (query, options) =>
        transport.pages(row as Operation, { query }, sharedList(options, onInvalid)) as Pages<Identified>,
      get: get && ((id, options) => readOne(transport.call(get, { params: { id } }, options), onInvalid)),
      pageSize,
      writes: client.writesTo(`${resource}.list`),
    },
    clock,
  );
  // Evicts the oldest readers, because a program may set a different header on each call.
  for (const oldest of readers.keys()) if (readers.size >= MOST_READERS) readers.delete(oldest);
  readers.set(key, reader);
  return reader;
}

// An invalid record that the list's `onInvalid` would leave out is joined as null.
async function readOne(call: PromiseLike<unknown>, onInvalid: ListOptions["onInvalid"]): Promise<Identified | null> {
  try {
    return (await call) as Identified;
  } catch (error) {
    if (onInvalid !== "skip" || !(error instanceof ResponseValidationError)) throw error;
    return null;
  }
}

// Every field ending in `_id` counts as a reference here; whether the client can read its records is checked later.
function checkJoin(
  { id, response }: Operation,
  references: Readonly<Record<string, true>>,
  options: JoinOptions,
): { readonly names: readonly string[]; readonly maxAge: number } {
  const fail = (path: string, message: string) => inputError(id, [{ path, message }]);
  if (!isPlainObject(references)) throw fail("with", "must be a plain object, such as { student: true }");
  if (!isPlainObject(options)) throw fail("with", "the options must be a plain object");
  const { maxAge } = readOptions(options, JOIN_OPTIONS, fail, "with.");
  const fields = Object.keys(fieldsOf(response)).filter((field) => field.endsWith("_id"));
  checkNames(references, Object.fromEntries(fields.map((field) => [field.slice(0, -3), 1])), fail, "with.");
  const names = Object.keys(references);
  for (const name of names) if (references[name] !== true) throw fail(`with.${name}`, "must be true");
  return { names, maxAge };
}
