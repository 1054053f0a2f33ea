import type { Pages } from "../core/lists/pages.js";
import type { ListOptions, RequestOptions } from "../core/options.js";
import { Resource, transportOf } from "../core/resource.js";
import type { ClientLookups } from "./client-lookups.js";
import type { ManyRecords } from "./many.js";
import type { Lookup, LookupField, LookupOptions, Many } from "./types.js";

/** Base class of the resources whose records have identifiers and can be listed. */
export abstract class ListedResource<T extends { readonly id: number }, Query extends object> extends Resource {
  /** @hidden */
  abstract list(query?: Query, options?: ListOptions): Pages<T>;

  /**
   * Finds records by the values of a field, such as a code or an e-mail address, without a request per value: the list
   * is read once and kept for `maxAge` milliseconds.
   * @param field the field with the values, such as `"code"` or `"email"`.
   * @param options `maxAge`, `maxRecords` and the filters of the list, `query`.
   * @throws InputError, on first use, if an option is wrong.
   * @example
   * const byCode = client.courses.lookup("code", { maxAge: 600_000 });
   * const course = await byCode.get("FA-1");
   */
  lookup<Field extends LookupField<T>>(field: Field, options: LookupOptions<Query> = {}): Lookup<T, T[Field]> {
    const list = (query?: object) => this.list(query as Query);
    const load = async () => {
      const { code, state } = await lookupsOf(this).load();
      return code.lookupOf(list, field, options, state);
    };
    return lazy<Lookup<unknown, unknown>>(["get", "getMany", "add", "refresh"], load) as Lookup<T, T[Field]>;
  }

  /**
   * Reads many records by identifier in the fewest requests: one by one, by the list's filter for identifiers if it
   * has one, or with the whole list. `plan()` shows the chosen way and its number of requests beforehand.
   * @param ids identifiers, in the order in which the records are wanted.
   * @param options for these requests only: `signal`, timeouts, retries, headers.
   * @throws InputError, on first use, if an identifier or an option is wrong.
   * @example
   * const accounts = await client.accounts.getMany([7, 8, 9]);
   */
  getMany(ids: readonly number[], options: RequestOptions = {}): Many<T> {
    const load = async () => {
      const { code, state } = await lookupsOf(this).load();
      return code.manyOf(this, ids, options, state);
    };
    const many = lazy<ManyRecords>(["plan", "read"], load);
    const read = () => many.read() as Promise<(T | null)[]>;
    return {
      plan: many.plan,
      // biome-ignore lint/suspicious/noThenProperty: the records are read when they are awaited.
      then: (onFulfilled, onRejected) => read().then(onFulfilled, onRejected),
      catch: (onRejected) => read().catch(onRejected),
      finally: (onFinally) => read().finally(onFinally),
    };
  }
}

// The cast is safe: every transport that programs can create is a ClientTransport.
function lookupsOf(resource: Resource): ClientLookups {
  return transportOf(resource).lookups as ClientLookups;
}

// A proxy whose methods load the real object on the first call.
function lazy<T extends object>(methods: readonly (keyof T & string)[], load: () => Promise<T>): T {
  let loaded: Promise<T> | null = null;
  const call = async (method: keyof T, args: readonly unknown[]) => {
    // A web page that is offline now may be able to load the code later.
    loaded ??= load().catch((error) => {
      loaded = null;
      throw error;
    });
    return ((await loaded)[method] as (...args: readonly unknown[]) => unknown)(...args);
  };
  return Object.fromEntries(methods.map((name) => [name, (...args: unknown[]) => call(name, args)])) as T;
}
