import type { Clock } from "../clock.js";
import { InputError } from "../errors.js";
import type { Pages } from "../lists/pages.js";
import type { Operation } from "../operation.js";
import type { ListOptions, RequestOptions } from "../options.js";
import { type Identified, RecordReader } from "./record-reader.js";

/** What joins need of a client. */
export interface JoinClient {
  readonly clock: Clock;
  /** Every operation of the client. */
  readonly operations: readonly Operation[];
  /** The resource that holds the records of a reference, by the reference's name. */
  readonly resources: Readonly<Record<string, string>>;
  readonly readers: Map<string, RecordReader>;
  list(row: Operation, query: Readonly<Record<string, unknown>>, options: ListOptions): Pages<Identified>;
  get(row: Operation, id: number, options: RequestOptions): PromiseLike<Identified>;
}

/**
 * Adds to records the records they refer to, each as a field with the reference's name.
 * @param names the references: `student` reads the record that `student_id` names.
 */
export async function join(
  records: readonly unknown[],
  names: readonly string[],
  maxAge: number,
  options: RequestOptions,
  client: JoinClient,
): Promise<unknown[]> {
  const found = await Promise.all(
    names.map(async (name) => {
      const ids = records.map((record) => idIn(record, name)).filter((id) => id !== null);
      return [name, await readerOf(name, client).read(ids, maxAge, options)] as const;
    }),
  );
  return records.map((record) => {
    if (typeof record !== "object" || record === null) return record;
    const joined = found.map(([name, known]) => [name, known.get(idIn(record, name) ?? Number.NaN) ?? null]);
    return { ...record, ...Object.fromEntries(joined) };
  });
}

function idIn(record: unknown, name: string): number | null {
  const id = (record as Record<string, unknown> | null)?.[`${name}_id`];
  return typeof id === "number" ? id : null;
}

// Lists of one client share what they have read.
function readerOf(name: string, client: JoinClient): RecordReader {
  const resource = client.resources[name] ?? "";
  const known = client.readers.get(resource);
  if (known) return known;
  const rowOf = (method: string) => client.operations.find(({ id }) => id === `${resource}.${method}`) ?? null;
  const list = rowOf("list");
  const get = rowOf("get");
  if (!list && !get) {
    throw new InputError(`with: the client has no operation that reads what ${name}_id refers to`, [
      { path: `with.${name}`, message: "cannot be read with this client" },
    ]);
  }
  const reader = new RecordReader(
    {
      row: list,
      list: (query, options) => client.list(list as Operation, query, options),
      get: get && ((id, options) => client.get(get, id, options)),
    },
    client.clock,
  );
  client.readers.set(resource, reader);
  return reader;
}
