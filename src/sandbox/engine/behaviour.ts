import type { Operation } from "../../core/operation.js";
import type { Collection, Identified, Records } from "../data/collection.js";
import type { RelatedByName } from "../data/domain.js";
import type { Store } from "../data/store.js";
import type { Values } from "./input.js";
import type { Listing } from "./listing.js";

/** A request after reading and checking, as behaviours receive it. @internal */
export interface Inquiry {
  readonly row: Operation;
  /** What its resource does. */
  readonly behaviour: WholeBehaviour;
  /** The API that the caller's key opens. */
  readonly api: "main" | "admin" | "both";
  readonly params: Values;
  readonly query: Values;
  readonly body: Values;
  readonly store: Store;
  /** Body fields that hold identifiers of records, with the collection of those records. */
  readonly references: RelatedByName;
  /** The sandbox's time as the service writes it. */
  readonly now: string;
  readonly baseUrl: string;
}

/** The records that a query parameter selects. @internal */
export type Filter<T> = (value: never, inquiry: Inquiry) => (row: Readonly<T>) => boolean;

/** Carries out one operation: returns a record, a listing, or nothing. @internal */
export type Handler = (inquiry: Inquiry) => object | undefined;

/**
 * What a resource does beyond plain create, read, update and delete. Body types are those of the resource's inputs.
 * @internal
 */
export interface Behaviour<T extends Identified, Create = never, Update = never> {
  /** The records of the resource, or those the path selects. Default: those that the store has by its name. */
  readonly records?: (inquiry: Inquiry) => Records<T>;
  /** Fields of stored records that the service does not return although the schema is open. */
  readonly hidden?: readonly string[];
  /** Name of the path parameter with the identifier of the record. Default `id`. */
  readonly key?: string;
  /** The number under which a record is stored whose identifier in the path is text. */
  readonly idOf?: (text: string) => number;
  /** What the service returns for a stored record. Default: the record. */
  readonly show?: (record: T) => object;
  /** Selects the records that the path or the operation concerns. Default all. */
  readonly scope?: (inquiry: Inquiry) => (row: Readonly<T>) => boolean;
  /** Filters by query parameter. Default: the field of the same name must be equal. */
  readonly filters?: Readonly<Record<string, Filter<T>>>;
  /** Fields of a new record, besides those that have the same name in the body. */
  create?(body: Create, inquiry: Inquiry): Partial<T>;
  /** Fields that an update changes, besides those that have the same name in the body. */
  update?(body: Update, record: T, inquiry: Inquiry): Partial<T>;
  /** Further effects of a write. */
  after?(kind: "created" | "updated" | "deleted", record: T, inquiry: Inquiry): void;
  /** Throws a Refusal for a record that must not be deleted. */
  remove?(record: T, inquiry: Inquiry): void;
  /** Operations that are not plain create, read, update or delete, by method name. */
  readonly operations?: Readonly<Record<string, Handler>>;
}

/** A behaviour without its type parameters. @internal */
export type AnyBehaviour = Behaviour<AnyRecord, Values, Values>;

/** A record of any collection. @internal */
export type AnyRecord = Identified & Record<string, unknown>;

/** A behaviour with what follows from the name of its resource. @internal */
export interface WholeBehaviour extends AnyBehaviour {
  readonly records: (inquiry: Inquiry) => Records<AnyRecord>;
  /** The collection that writes change; undefined where there is none. */
  readonly written: Collection<AnyRecord> | undefined;
}

/** Type-checks a behaviour and erases its type parameters. @internal */
export function behaviour<T extends Identified, Create = never, Update = never>(
  written: Behaviour<T, Create, Update>,
): AnyBehaviour {
  return written as unknown as AnyBehaviour;
}

/** Whether a handler returned a listing. @internal */
export function isListing(value: object | undefined): value is Listing<Identified> {
  return value !== undefined && "records" in value && "fits" in value;
}
