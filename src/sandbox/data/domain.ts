import type * as z from "zod/mini";
import { WebhookEventName } from "../../webhooks/events.js";
import type { ChangeKind, Collection, Columns, Identified } from "./collection.js";
import type { CollectionName } from "./store.js";

/** How one collection is seeded. @internal */
export interface Seed<T extends Identified> {
  readonly count: number;
  readonly columns: Columns<T>;
  /** Fields of its stored records that reading the resource does not show. */
  stored?(): z.core.$ZodShape;
  /** What the records must be like that a new one refers to, by field; `order_items.student_id` for a nested one. */
  readonly wants?: Wants<T>;
  /** What the fields of its nested records are when they are not given. */
  readonly parts?: PartDefaults<T>;
  /** True: a provider always has these records, even one without any others. */
  readonly always?: boolean;
  /** The identifier of a new record that has that of another one. Default: the next one. */
  identify?(given: Partial<T>, create: boolean): number;
  /** First part of the names of its webhook events: `account`. Absent when no event is publicly known. */
  readonly event?: string;
  /** Second part of the name of the event for a new record. Default `created`. */
  readonly createdAs?: string;
  /** Second part of the name of a further event that an update causes: `canceled`; null for none. */
  furtherEvent?(record: T, before: T): string | null;
  /** Brings records that are computed from this one up to date; undefined before it is created and after it is deleted. */
  follow?(record: T | undefined, before: T | undefined): void;
  /** Events about other records that a change causes; undefined before the record is created and after it is deleted. */
  relatedEvents?(record: T | undefined, before: T | undefined): readonly RelatedEvent[];
}

/** Which record a new record refers to. @internal */
export interface Wanted {
  /** Selects one of those there are. Default: any. */
  readonly fits?: (row: never) => boolean;
  /** The fields of the one that is made when there is none. */
  readonly fields?: object;
}

/** A record that has these fields: one that is there, or one that is made. @internal */
export function having(fields: object): Wanted {
  const wanted = Object.entries(fields);
  return { fields, fits: (row: Fields) => wanted.every(([name, value]) => row[name] === value) };
}

type Fields = Readonly<Record<string, unknown>>;

/** What a new record wants of those it refers to; null for no record. @internal */
export type Wants<T extends Identified> = Readonly<
  Record<string, (row: Readonly<T>, given: Partial<T>) => Wanted | null>
>;

/** The fields of nested records that are given in part, by field; `at` is the place in the list. @internal */
export type PartDefaults<T extends Identified> = {
  readonly [Field in keyof T]?: (row: Readonly<T>, at: number) => object;
};

/** A collection that other records refer to. @internal */
export interface Related {
  readonly slots: number;
  readonly nextId: number;
  row(slot: number): Readonly<Identified> | undefined;
  peek(id: number): Readonly<Identified> | undefined;
  get(id: number): Identified | undefined;
  insert(fields?: object): Identified;
}

/** Maps a name to the collection it refers to. @internal */
export type RelatedByName = Readonly<Record<string, CollectionName>>;

/** An event about another record than the one that changed. @internal */
export interface RelatedEvent {
  readonly event: string;
  readonly record: Identified;
}

/** A seed for every collection of a store. @internal */
export type Seeds<S> = { readonly [Name in keyof S]: S[Name] extends Collection<infer T> ? Seed<T> : never };

/** The names of the events a change causes; empty when none is publicly known. @internal */
export function eventsOf<T extends Identified>(
  seed: Seed<T>,
  kind: ChangeKind,
  record: T,
  before: T | undefined,
): string[] {
  const { event, createdAs = "created" } = seed;
  if (event === undefined) return [];
  const further = kind === "updated" && before ? seed.furtherEvent?.(record, before) : null;
  const actions = [kind === "created" ? createdAs : kind, ...(further ? [further] : [])];
  // No event is known for a program enrollment that is deleted, which only the store can do.
  return actions.map((action) => `${event}.${action}`).filter(WebhookEventName.is);
}
