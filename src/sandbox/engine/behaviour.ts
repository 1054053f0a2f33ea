import type { Operation } from "../../core/operation.js";
import type { Collection, Identified, Records } from "../data/collection.js";
import type { RecordsByName } from "../data/domain.js";
import type { Store } from "../data/store.js";
import type { Values } from "./input.js";
import type { Listing } from "./paging.js";

/** Feature flags of an environment that operations and attributes can depend on (service description, rule 9). */
export type FeatureFlag = NonNullable<Operation["feature"]>;

/** A request, read and checked, as behaviours see it. @internal */
export interface Inquiry {
  readonly row: Operation;
  /** The API the caller's key is for; `both` when it is for Main and Admin alike. */
  readonly api: "main" | "admin" | "both";
  readonly params: Values;
  readonly query: Values;
  readonly body: Values;
  readonly store: Store;
  /** Fields of bodies that name records, and where those records must be. */
  readonly references: RecordsByName;
  /** The sandbox's time as the service writes it. */
  readonly now: string;
  readonly baseUrl: string;
}

/** Which records a query parameter lets through. @internal */
export type Filter<T> = (value: never, inquiry: Inquiry) => (row: Readonly<T>) => boolean;

/** Carries out one operation: answers a record, a listing, or nothing. @internal */
export type Handler = (inquiry: Inquiry) => object | undefined;

/**
 * What a resource does beyond plain create, read, update and delete. Body types are those of the resource's inputs.
 * @internal
 */
export interface Behaviour<T extends Identified, Create = never, Update = never> {
  /** The records, or the part of them a path is about. */
  readonly records: (inquiry: Inquiry) => Records<T>;
  /** Where writes go. */
  readonly written?: Collection<T>;
  /** Fields of stored records that the service does not show, where a schema would let them through. */
  readonly hidden?: readonly string[];
  /** Name of the path parameter that names a record; `id` when absent. */
  readonly key?: string;
  /** Records the path or the operation is about; without, all. */
  readonly scope?: (inquiry: Inquiry) => (row: Readonly<T>) => boolean;
  /** Meaning of query parameters; without one, the field of the same name must be equal. */
  readonly filters?: Readonly<Record<string, Filter<T>>>;
  /** Fields of a new record beyond those the body names alike. */
  create?(body: Create, inquiry: Inquiry): Partial<T>;
  /** Fields an update changes beyond those the body names alike. */
  update?(body: Update, record: T, inquiry: Inquiry): Partial<T>;
  /** What else follows a write. */
  after?(kind: "created" | "updated" | "deleted", record: T, inquiry: Inquiry): void;
  /** May refuse a deletion. */
  remove?(record: T, inquiry: Inquiry): void;
  /** Operations that are something else altogether, by method name. */
  readonly operations?: Readonly<Record<string, Handler>>;
}

/** A behaviour whose types have been checked where it was written. @internal */
export type AnyBehaviour = Behaviour<Identified & Record<string, unknown>, Values, Values>;

/** Checks a behaviour's types, then lets go of them. @internal */
export function behaviour<T extends Identified, Create = never, Update = never>(
  written: Behaviour<T, Create, Update>,
): AnyBehaviour {
  return written as unknown as AnyBehaviour;
}

/** Whether what a handler answered is a listing. @internal */
export function isListing(value: object | undefined): value is Listing<Identified> {
  return value !== undefined && "records" in value && "fits" in value;
}
