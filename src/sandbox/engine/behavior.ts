import type { Operation } from "../../core/operation.js";
import type { OperationCalls } from "../../generated/operation-calls.js";
import type { OperationId } from "../../generated/operation-id.js";
import type { Collection, Identified, Records } from "../data/collection.js";
import type { Given } from "../data/given.js";
import type { SandboxManners } from "../data/manners.js";
import type { OrganizationStore, Store } from "../data/store.js";
import type { Values } from "./input.js";

/** A parsed and checked request, as a `Behavior` receives it. */
export interface Inquiry {
  readonly row: Operation;
  readonly behavior: WholeBehavior;
  /** The API to which the caller's key gives access. */
  readonly api: "main" | "admin" | "both";
  readonly isPublic: boolean;
  readonly manners: SandboxManners;
  readonly params: Values;
  readonly query: Values;
  /** The fields that `include` names. */
  readonly include: readonly string[];
  readonly body: Values;
  readonly store: Store;
  readonly now: string;
  readonly baseUrl: string;
}

export type Filter<T> = (value: never, inquiry: Inquiry) => (row: Readonly<T>) => boolean;

/**
 * Carries out one operation: returns a record, a listing, or nothing.
 * @param one finds the record that the path names; throws a Refusal if there is none.
 */
export type Handler<T, Input = unknown> = (inquiry: Inquiry & Input, one: () => T) => object | void;

/**
 * The behavior of a resource beyond plain create, read, update and delete. The resource's name determines its types.
 */
export type Behavior<Name extends ResourceName> = BehaviorOf<
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

export type Behaviors = { readonly [Name in ResourceName]?: Behavior<Name> };

type ResourceName = ResourceOf<OperationId>;
type ResourceOf<Id> = Id extends `organization.${infer View}.${string}`
  ? `organization.${View}`
  : Id extends `${infer Name}.${string}`
    ? Name
    : never;

// Some resources compute their records or show those of another resource; only the `id` of their records is known.
type RecordOf<Name> = Name extends `organization.${infer View extends keyof OrganizationStore}`
  ? RecordIn<OrganizationStore[View]>
  : Name extends keyof Store
    ? RecordIn<Store[Name]>
    : Identified;
type RecordIn<Collected> = Collected extends Records<infer T> ? T : never;
type BodyOf<Id> = Id extends OperationId ? OperationCalls[Id]["body"] : never;
type InputOf<Id extends OperationId> = Pick<OperationCalls[Id], "params" | "query"> &
  (OperationCalls[Id]["body"] extends null ? unknown : Pick<OperationCalls[Id], "body">);

interface BehaviorOf<T extends Identified, Create, Update, Operations> {
  /**
   * The records of the resource, or those that the path selects. Default: the collection or view with the resource's
   * name.
   */
  readonly records?: (inquiry: Inquiry) => Records<T>;
  /** Fields of stored records that the service never returns, for responses whose schema accepts any field. */
  readonly hidden?: readonly string[];
  /** Fields that a record has only if `include` names them. */
  readonly included?: Readonly<Record<string, (record: T) => unknown>>;
  /** Name of the path parameter with the identifier of the record. Default `id`. */
  readonly key?: string;
  /**
   * Finds the identifier of the record that a path segment, such as a slug, names; undefined if there is none.
   * @throws Refusal to redirect.
   */
  readonly idOf?: (text: string) => number | undefined;
  /** Converts a stored record to the form that the service returns. Default: no conversion. */
  readonly show?: (record: T) => object;
  /** Throws a Refusal if a path segment, such as the slug of an object, names nothing. */
  checkPath?(inquiry: Inquiry): void;
  /** Selects the records for this operation from those that the path selects. Default: all. */
  readonly scope?: (inquiry: Inquiry) => (row: Readonly<T>) => boolean;
  /** Selects the records that can be read without a key. Default: none, and reads without a key are refused. */
  readonly published?: (row: Readonly<T>) => boolean;
  /** Filters by query parameter. Default: the field of the same name must have the given value. */
  readonly filters?: Readonly<Record<string, Filter<T>>>;
  /** Throws a Refusal for an invalid body; the record is undefined for a create. */
  check?(body: Create | Update, record: T | undefined, inquiry: Inquiry): void;
  /** Fields of a new record besides those that the body has under the same name. */
  create?(body: Create, inquiry: Inquiry): Given<T>;
  /** Fields that an update changes besides those that the body has under the same name. */
  update?(body: Update, record: T, inquiry: Inquiry): Partial<T>;
  after?(kind: "created" | "updated" | "deleted", record: T, inquiry: Inquiry): void;
  /** Throws a Refusal for a record that must not be deleted. */
  remove?(record: T, inquiry: Inquiry): void;
  /** Operations that are not plain create, read, update or delete, by method name. */
  readonly operations?: Operations;
}

export type AnyBehavior = BehaviorOf<AnyRecord, Values, Values, Readonly<Record<string, Handler<AnyRecord>>>>;

export type AnyRecord = Identified & Record<string, unknown>;

/** A behavior with the records of its resource. */
export interface WholeBehavior extends AnyBehavior {
  readonly records: (inquiry: Inquiry) => Records<AnyRecord>;
  /** The collection that receives writes; undefined for views and computed records. */
  readonly written: Collection<AnyRecord> | undefined;
}

export function isListing(value: object): value is Listing<Identified> {
  return "records" in value && "fits" in value;
}

export interface Listing<T extends Identified> {
  readonly records: Records<T>;
  readonly fits: ((row: Readonly<T>) => boolean) | null;
  /** The selected records in the requested order; null keeps the order of the records. */
  readonly order: Order | null;
  readonly show?: ((record: T) => object) | undefined;
}

/** Records in the order of a sort parameter. */
export interface Order {
  readonly slots: readonly number[];
  keysOf(slot: number): readonly unknown[];
  /** Returns a negative number if `a` comes before `b`. */
  compare(a: Mark, b: Mark): number;
}

/** The position of a record in an order. Stays valid when other records are added or removed. */
export type Mark = readonly [keys: readonly unknown[], slot: number];

export function search<T>(fieldsOf: (row: Readonly<T>) => readonly (string | null | undefined)[]): Filter<T> {
  return (text: string) => {
    const wanted = text.toLowerCase();
    return (row) => fieldsOf(row).some((field) => field?.toLowerCase().includes(wanted));
  };
}
