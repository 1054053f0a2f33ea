import type { Operation } from "../../core/operation.js";
import type { OperationCalls } from "../../generated/operation-calls.js";
import type { OperationId } from "../../generated/operation-id.js";
import type { Collection, Identified, Records } from "../data/collection.js";
import type { Given } from "../data/given.js";
import type { SandboxManners } from "../data/manners.js";
import type { OrganizationStore, Store } from "../data/store.js";
import type { Values } from "./input.js";

/** A request after reading and checking, as behaviours receive it. @internal */
export interface Inquiry {
  readonly row: Operation;
  /** What its resource does. */
  readonly behaviour: WholeBehaviour;
  /** The API that the caller's key opens. */
  readonly api: "main" | "admin" | "both";
  /** Whether it came without a key, so that only published records are there. */
  readonly isPublic: boolean;
  readonly manners: SandboxManners;
  readonly params: Values;
  readonly query: Values;
  readonly body: Values;
  readonly store: Store;
  /** The sandbox's time as the service writes it. */
  readonly now: string;
  readonly baseUrl: string;
}

/** The records that a query parameter selects. @internal */
export type Filter<T> = (value: never, inquiry: Inquiry) => (row: Readonly<T>) => boolean;

/**
 * Carries out one operation: returns a record, a listing, or nothing.
 * @param one finds the record that the path refers to. It throws a Refusal when there is none. @internal
 */
export type Handler<T, Input = unknown> = (inquiry: Inquiry & Input, one: () => T) => object | void;

/** What a resource does beyond plain create, read, update and delete; its types follow from its name. @internal */
export type Behaviour<Name extends ResourceName> = BehaviourOf<
  RecordOf<Name>,
  BodyOf<`${Name}.create`>,
  BodyOf<`${Name}.update`>,
  {
    readonly [Id in OperationId as Id extends `${Name}.${infer Method}` ? Method : never]?: Handler<
      RecordOf<Name>,
      InputOf<Id>
    >;
  }
>;

/** What the resources of a domain do, by their names as in operation ids. @internal */
export type Behaviours = { readonly [Name in ResourceName]?: Behaviour<Name> };

type ResourceName = ResourceOf<OperationId>;
type ResourceOf<Id> = Id extends `organization.${infer View}.${string}`
  ? `organization.${View}`
  : Id extends `${infer Name}.${string}`
    ? Name
    : never;

// Some resources compute their records, or show those of another one: of these no more is known.
type RecordOf<Name> = Name extends `organization.${infer View extends keyof OrganizationStore}`
  ? RecordIn<OrganizationStore[View]>
  : Name extends keyof Store
    ? RecordIn<Store[Name]>
    : Identified;
type RecordIn<Collected> = Collected extends Records<infer T> ? T : never;
type BodyOf<Id> = Id extends OperationId ? OperationCalls[Id]["body"] : never;
type InputOf<Id extends OperationId> = Pick<OperationCalls[Id], "params" | "query"> &
  (OperationCalls[Id]["body"] extends null ? unknown : Pick<OperationCalls[Id], "body">);

interface BehaviourOf<T extends Identified, Create, Update, Operations> {
  /** The records of the resource, or those the path selects. Default: those that the store has by its name. */
  readonly records?: (inquiry: Inquiry) => Records<T>;
  /** Fields of stored records that the service does not return although the schema is open. */
  readonly hidden?: readonly string[];
  /** Name of the path parameter with the identifier of the record. Default `id`. */
  readonly key?: string;
  /** The identifier of the record that the path names by text, if there is one. @throws Refusal for text that leads elsewhere. */
  readonly idOf?: (text: string) => number | undefined;
  /** What the service returns for a stored record. Default: the record. */
  readonly show?: (record: T) => object;
  /** Throws a Refusal for a path that names something by text which does not exist: an object by its slug. */
  checkPath?(inquiry: Inquiry): void;
  /** Selects the records that the operation concerns, of those with the fields that the path names. Default all. */
  readonly scope?: (inquiry: Inquiry) => (row: Readonly<T>) => boolean;
  /** Selects the records that can be read without a key. Default: none, and no such read. */
  readonly published?: (row: Readonly<T>) => boolean;
  /** Filters by query parameter. Default: the field of the same name must be equal. */
  readonly filters?: Readonly<Record<string, Filter<T>>>;
  /** Throws a Refusal for a body that cannot be written; the record is undefined for a new one. */
  check?(body: Create | Update, record: T | undefined, inquiry: Inquiry): void;
  /** Fields of a new record, besides those that have the same name in the body. */
  create?(body: Create, inquiry: Inquiry): Given<T>;
  /** Fields that an update changes, besides those that have the same name in the body. */
  update?(body: Update, record: T, inquiry: Inquiry): Partial<T>;
  /** Further effects of a write. */
  after?(kind: "created" | "updated" | "deleted", record: T, inquiry: Inquiry): void;
  /** Throws a Refusal for a record that must not be deleted. */
  remove?(record: T, inquiry: Inquiry): void;
  /** Operations that are not plain create, read, update or delete, by method name. */
  readonly operations?: Operations;
}

/** What any resource does. @internal */
export type AnyBehaviour = BehaviourOf<AnyRecord, Values, Values, Readonly<Record<string, Handler<AnyRecord>>>>;

/** A record of any collection. @internal */
export type AnyRecord = Identified & Record<string, unknown>;

/** A behaviour with what follows from the name of its resource. @internal */
export interface WholeBehaviour extends AnyBehaviour {
  readonly records: (inquiry: Inquiry) => Records<AnyRecord>;
  /** The collection that writes change; undefined where there is none. */
  readonly written: Collection<AnyRecord> | undefined;
}

/** Whether a handler returned a listing. @internal */
export function isListing(value: object): value is Listing<Identified> {
  return "records" in value && "fits" in value;
}

/** The records that a list returns, before it is cut into pages. @internal */
export interface Listing<T extends Identified> {
  readonly records: Records<T>;
  /** Selects records; null selects all. */
  readonly fits: ((row: Readonly<T>) => boolean) | null;
  /** The selected records in the requested order; null for the order of the records. */
  readonly order: Order | null;
  /** What the service returns for a record. Default: the record. */
  readonly show?: ((record: T) => object) | undefined;
}

/** Records in the order of a sort parameter. @internal */
export interface Order {
  readonly slots: readonly number[];
  /** The sort keys of the record at a slot. */
  keysOf(slot: number): readonly unknown[];
  /** Returns a negative number when the first comes before the second. */
  compare(a: Mark, b: Mark): number;
}

/** The position of a record in an order; it stays valid when other records are added or removed. @internal */
export type Mark = readonly [keys: readonly unknown[], slot: number];

/** A filter that looks for a text in some fields, regardless of case. @internal */
export function search<T>(fieldsOf: (row: Readonly<T>) => readonly (string | null | undefined)[]): Filter<T> {
  return (text: string) => {
    const wanted = text.toLowerCase();
    return (row) => fieldsOf(row).some((field) => field?.toLowerCase().includes(wanted));
  };
}
