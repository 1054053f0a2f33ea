import type * as z from "zod/mini";
import { WebhookEventName } from "../../webhooks/events.js";
import type { ChangeKind, Collection, Columns, Identified } from "./collection.js";
import type { CollectionName, Store } from "./store.js";

export interface Seed<T extends Identified> {
  readonly count: number;
  readonly columns: Columns<T>;
  /** Fields of stored records that the API does not return. */
  stored?(): z.core.$ZodShape;
  readonly wants?: Wants<T>;
  readonly parts?: PartDefaults<T>;
  /** True if every school has these records, even an empty sandbox. */
  readonly always?: boolean;
  /** Chooses the identifier of a new record that must have the identifier of another record. Default: the next one. */
  identify?(given: Partial<T>, create: boolean): number;
  /** The first part of the names of the webhook events: `account`. Absent if no event is publicly known. */
  readonly event?: string;
  /** The second part of the event's name for a new record. Default `created`. */
  readonly createdAs?: string;
  /** The second part of the name of an additional event for an update: `canceled`; null for none. */
  furtherEvent?(record: T, before: T): string | null;
  /** Updates records computed from this record. `record` is undefined for a deletion, `before` for a creation. */
  follow?(record: T | undefined, before: T | undefined): void;
  /** Events that a change causes about other records. `record` is undefined for a deletion, `before` for a creation. */
  relatedEvents?(record: T | undefined, before: T | undefined): readonly RelatedEvent[];
}

export interface Wanted {
  /** Selects among existing records. Default: any. */
  readonly fits?: (row: never) => boolean;
  /** Fields of the record that is made if no existing record fits. */
  readonly fields?: object;
}

/** Requires a record with these fields; if no record has them, a new record gets these fields. */
export function having(fields: object): Wanted {
  return { fields, fits: where(fields) };
}

export function where<Fields extends object>(
  fields: Fields,
): (row: { readonly [Name in keyof Fields]?: unknown }) => boolean {
  const wanted = Object.entries(fields) as [keyof Fields, unknown][];
  return (row) => wanted.every(([name, value]) => row[name] === value);
}

/**
 * For each field that refers to a record, such as `order_items.student_id` in nested records, the conditions on that
 * record; null to make the field null if the record is missing.
 */
export type Wants<T extends Identified> = Readonly<
  Record<string, (row: Readonly<T>, given: Partial<T>) => Wanted | null>
>;

/** For each field with nested records, makes their missing fields; `at` is the index in the list. */
export type PartDefaults<T extends Identified> = {
  readonly [Field in keyof T]?: (row: Readonly<T>, at: number) => object;
};

export type RelatedByName = Readonly<Record<string, CollectionName>>;

export interface RelatedEvent {
  readonly event: string;
  readonly record: Identified;
}

export type Seeds = {
  readonly [Name in CollectionName]: Store[Name] extends Collection<infer T> ? Seed<T> : never;
};

export function eventsOf<T extends Identified>(seed: Seed<T>, kind: ChangeKind, record: T, before: T | undefined) {
  const { event, createdAs = "created" } = seed;
  if (event === undefined) return [];
  const further = kind === "updated" && before ? seed.furtherEvent?.(record, before) : null;
  const actions = [kind === "created" ? createdAs : kind, ...(further ? [further] : [])];
  // Omits unknown events: a program enrollment can be deleted only in the store, and no event for that is known.
  return actions.map((action) => `${event}.${action}`).filter(WebhookEventName.is);
}
