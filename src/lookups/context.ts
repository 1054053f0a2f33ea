import type { Pages } from "../core/lists/pages.js";
import type { Operation } from "../core/operation.js";
import type { ListOptions, RequestOptions } from "../core/options.js";
import type { Settings } from "../core/settings.js";
import type { RecordReader } from "./record-reader.js";
import type { Writes } from "./writes.js";

export interface Reading {
  pages(row: Operation, input: { query: object }, options: ListOptions): Pages<unknown>;
  call(row: Operation, input: { params: object }, options: RequestOptions): PromiseLike<unknown>;
}

export interface LookupParts {
  /** Operations that `routes` can override and that `with` can use to read records. */
  readonly operations: () => readonly Operation[];
  /** Finds the resource to which a reference in the records of another resource points; null if there is none. */
  readonly references: () => Promise<(name: string, resource: string) => string | null>;
}

export interface LookupContext {
  readonly parts: LookupParts;
  readonly transport: Reading;
  /** The client's settings; `totalTimeout` is null without a limit. */
  readonly settings: Pick<Settings, "clock" | "totalTimeout" | "pageSize">;
  writesTo(operation: string): Writes;
  /** The readers of records for joins, by resource and options; shared by all lists of the client. */
  readonly readers: Map<string, RecordReader>;
}
