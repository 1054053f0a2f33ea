import * as z from "zod/mini";
import { ApiError, NotFoundError } from "../../../src/core/errors.js";
import { Pages } from "../../../src/core/lists/pages.js";
import type { Operation } from "../../../src/core/operation.js";
import { model } from "../../../src/core/schema/model.js";
import type { Identified } from "../../../src/lookups/known-records.js";
import { RecordReader } from "../../../src/lookups/record-reader.js";
import { Writes } from "../../../src/lookups/writes.js";
import { ManualClock } from "../../support/manual-clock.js";
import { pageSource, ROOMS } from "../../support/page-source.js";

const SIZE = 100;
/** A `maxAge` that does not limit the age of a record. */
export const FOREVER = Number.POSITIVE_INFINITY;

/** The operations of the service that read rooms; `total` is the number of rooms. */
interface Offer {
  readonly total?: number;
  readonly single?: boolean;
  readonly list?: boolean;
  readonly filter?: boolean;
  /** True if the service accepts the filter and ignores it. */
  readonly ignored?: boolean;
  /** True if the service returns the number of pages of the list. */
  readonly last?: boolean;
  /** Rooms that exist but are not in any list. */
  readonly unlisted?: readonly number[];
  /** The error of a page of the list; undefined if the page succeeds. */
  readonly failing?: (page: number, query: object) => Error | undefined;
}

/** The error of a response with this status. */
export function refusal(status: number): ApiError {
  const Kind = status === 404 ? NotFoundError : ApiError;
  return new Kind("refused", {
    status,
    apiCode: null,
    apiMessage: null,
    errors: null,
    body: null,
    headers: new Headers(),
    requestId: null,
    method: "GET",
    path: "rooms",
    outcome: null,
  });
}

/** A reader, and a log of its requests: `7` is a record, `page 2` a page, `filter 3` three records by the filter. */
export function world({
  total = 1_000,
  single = true,
  list = true,
  filter = false,
  ignored = false,
  last = true,
  unlisted = [],
  failing,
}: Offer = {}) {
  const clock = new ManualClock();
  const writes = new Writes();
  const asked: string[] = [];
  const queries: object[] = [];
  const signals: (AbortSignal | undefined)[] = [];
  const priorities: string[] = [];
  const settings = { total, fail: null as Error | null };
  const row: Operation = {
    ...ROOMS,
    paged: last ? "cursor+page" : "cursor",
    ...(filter && { query: model(() => ({ id: z.optional(z.array(z.int())) })) }),
  };
  let listed = { total: 0, all: [] as number[] };
  const isListed = (id: number) => id <= settings.total && !unlisted.includes(id);
  const pageOf = (number: number) => {
    const { total } = settings;
    if (listed.total !== total) listed = { total, all: upTo(total).filter(isListed) };
    const { all } = listed;
    const pages = Math.max(1, Math.ceil(all.length / SIZE));
    const links = [`<?page=${number + 1}>; rel="next"`, `<?page=${pages}&x=1>; rel="last"`];
    const records = all.slice((number - 1) * SIZE, number * SIZE).map((id) => ({ id, from: "list" }));
    return { records, ...(number < pages && { link: (last ? links : links.slice(0, 1)).join(", ") }) };
  };
  const reader = new RecordReader(
    {
      resource: "accounts",
      pageSize: SIZE,
      row: list ? row : null,
      list: (query, options) =>
        new Pages<Identified>(
          pageSource([], options, (request) => {
            signals.push(request.signal);
            priorities.push(request.priority);
            if (settings.fail) throw settings.fail;
            const { id } = query as { id?: number[] };
            if (id !== undefined) {
              asked.push(`filter ${id.length}`);
              if (ignored) return pageOf(1);
              return { records: id.filter(isListed).map((each) => ({ id: each })) };
            }
            const page = Number(request.query.find(([name]) => name === "page")?.[1] ?? 1);
            asked.push(`page ${page}`);
            if (page === 1) queries.push(query);
            const error = failing?.(page, query);
            if (error) throw error;
            return pageOf(page);
          }),
        ),
      get: single
        ? async (id) => {
            asked.push(String(id));
            if (settings.fail) throw settings.fail;
            if (id <= settings.total) return { id };
            throw refusal(404);
          }
        : null,
      writes,
    },
    clock,
  );
  const read = async (ids: readonly number[], maxAge = FOREVER) => {
    const found = await reader.read(ids, maxAge, {});
    return ids.map((id) => found.get(id)?.id ?? null);
  };
  const plan = (ids: readonly number[]) => reader.plan(ids, {});
  /** Returns the requests since the last call. */
  const since = () => asked.splice(0);
  return { clock, settings, writes, reader, queries, signals, priorities, read, plan, since };
}

/** The whole numbers from `first` to `last`. */
export const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, at) => first + at);
