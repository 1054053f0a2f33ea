import type { WithResponse } from "../core/call/call.js";
import { type CallRequest, inputError } from "../core/call/request.js";
import { InputError } from "../core/errors.js";
import { isPlainObject } from "../core/json.js";
import type { PageSource } from "../core/lists/page-source.js";
import type { Pages } from "../core/lists/pages.js";
import type { JoinOptions } from "../core/lists/references.js";
import { type Operation, resourceNameOf } from "../core/operation.js";
import { checkNames, positive } from "../core/option-checks.js";
import type { RequestOptions } from "../core/options.js";
import { fieldsOf } from "../core/validation/traits.js";
import type { LookupContext } from "./context.js";
import { type Identified, RecordReader } from "./record-reader.js";

/**
 * Sends the request of a page and adds to its records those they refer to, each as a field with the reference's name.
 * @param references `{ student: true }` reads the records that `student_id` names.
 * @throws InputError when a reference or an option is wrong; nothing was sent.
 */
export async function sendJoined(
  source: PageSource,
  request: CallRequest,
  references: Readonly<Record<string, true>>,
  given: JoinOptions,
  client: LookupContext,
): Promise<WithResponse<unknown>> {
  const { names, maxAge } = checkJoin(source.operation, references, given);
  const { data, response } = await source.fetch(request);
  const records = data as readonly unknown[];
  const resourceOf = await client.references();
  const { id } = source.operation;
  const own = resourceNameOf(id);
  const { priority, signal } = request;
  const options: RequestOptions = { priority, signal };
  const found = await Promise.all(
    names.map(async (name) => {
      const ids = records.map((record) => idIn(record, name)).filter((id) => id !== null);
      return [name, await readerOf(name, resourceOf(name, own) ?? "", client).read(ids, maxAge, options)] as const;
    }),
  );
  const joined = records.map((record) => {
    if (typeof record !== "object" || record === null) return record;
    const added = found.map(([name, known]) => [name, known.get(idIn(record, name) ?? Number.NaN) ?? null]);
    return { ...record, ...Object.fromEntries(added) };
  });
  return { data: joined, response };
}

function idIn(record: unknown, name: string): number | null {
  const id = (record as Record<string, unknown> | null)?.[`${name}_id`];
  return typeof id === "number" ? id : null;
}

function readerOf(
  name: string,
  resource: string,
  { operations, transport, clock, writesTo, readers }: LookupContext,
): RecordReader {
  const known = readers.get(resource);
  if (known) return known;
  const rowOf = (method: string) => operations().find(({ id }) => id === `${resource}.${method}`) ?? null;
  const row = rowOf("list");
  const get = rowOf("get");
  if (!row && !get) {
    throw new InputError(`with: the client has no operation that reads what ${name}_id refers to`, [
      { path: `with.${name}`, message: "cannot be read with this client" },
    ]);
  }
  const reader = new RecordReader(
    {
      row,
      list: (query, options) => transport.pages(row as Operation, { query }, options) as Pages<Identified>,
      get: get && ((id, options) => transport.call(get, { params: { id } }, options) as PromiseLike<Identified>),
      writes: writesTo(`${resource}.list`),
    },
    clock,
  );
  readers.set(resource, reader);
  return reader;
}

// Which references there are shows in the record's fields; whether the client can read them shows when they are read.
function checkJoin(
  { id, response }: Operation,
  references: Readonly<Record<string, true>>,
  options: JoinOptions,
): { readonly names: readonly string[]; readonly maxAge: number } {
  const fail = (path: string, message: string) => inputError(id, [{ path, message }]);
  if (!isPlainObject(references)) throw fail("with", "must be a plain object, such as { student: true }");
  if (!isPlainObject(options)) throw fail("with", "the options must be a plain object");
  checkNames(options, { maxAge: 1 }, fail, "with.");
  const fields = Object.keys(fieldsOf(response)).filter((field) => field.endsWith("_id"));
  checkNames(references, Object.fromEntries(fields.map((field) => [field.slice(0, -3), 1])), fail, "with.");
  const names = Object.keys(references);
  for (const name of names) if (references[name] !== true) throw fail(`with.${name}`, "must be true");
  const { maxAge = 300_000 }: JoinOptions = options;
  return { names, maxAge: positive("with.maxAge", maxAge, fail) };
}
