import { WebhookEventName } from "../../webhooks/events.js";
import type { AnyBehaviour } from "../engine/behaviour.js";
import type { ChangeKind, Collection, Columns, Identified, Records } from "./collection.js";
import type { Store } from "./store.js";
import type { World } from "./world.js";

/** How one collection is seeded. @internal */
export interface Seed<T extends Identified> {
  readonly count: number;
  readonly columns: Columns<T>;
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

/** An event about another record than the one that changed. @internal */
export interface RelatedEvent {
  readonly event: string;
  readonly record: Identified;
}

/** A seed for every collection of a store. @internal */
export type Seeds<S> = { readonly [Name in keyof S]: S[Name] extends Collection<infer T> ? Seed<T> : never };

/** Maps a name to the records it refers to. @internal */
export type RecordsByName = Readonly<Record<string, (store: Store) => Records<Identified>>>;

/**
 * One group of resources of the sandbox. A new resource is added to its domain's store, seeds and behaviours; the engine
 * needs no change.
 * @internal
 */
export interface Domain<S> {
  seeds(world: World): Seeds<S>;
  /** What its resources do beyond plain operations, by resource name as in operation ids. */
  behaviours(store: Store): Readonly<Record<string, AnyBehaviour>>;
  /** Body fields that hold the identifier of one of its records, or several. */
  readonly references?: RecordsByName;
  /** Collections whose factory has another name: `contact` for `organization.contacts`. */
  readonly factories?: RecordsByName;
}

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
