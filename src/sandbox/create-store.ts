import { factsOf } from "./collections.js";
import { type ChangeKind, Collection, type CollectionState, type Identified } from "./data/collection.js";
import { type Days, daysFrom, mondayOf } from "./data/days.js";
import { eventsOf, type PartDefaults, type Seed } from "./data/domain.js";
import { LARGE_ID, manneredColumns } from "./data/mannered.js";
import type { SandboxManners } from "./data/manners.js";
import { Relations } from "./data/relations.js";
import type { SeededSchool } from "./data/school.js";
import type { CollectionName, SandboxData, Store } from "./data/store.js";
import { countsOf, type SandboxSize, type World } from "./data/world.js";
import { seedsOf } from "./domains.js";
import { checkWritten, insertData } from "./insert-data.js";
import { organizationViews } from "./organization/views.js";
import { fillFrom, type Twin } from "./twin.js";

/** The writes to every collection, and the Monday on which seeded dates are based. */
export interface StoreState {
  readonly monday: number;
  readonly written: Readonly<Record<string, CollectionState | undefined>>;
}

export interface CreatedStore {
  readonly store: Store;
  /** Increases with every change of a record. */
  version(): number;
  /** Runs writes by the sandbox itself, whose fields are not checked. */
  writeInternally<R>(write: () => R): R;
  /** Restores the seeded records and those passed as `data`. */
  reset(): void;
  state(): StoreState;
  restore(state: StoreState): void;
  readonly days: Days;
}

export interface StoreOptions {
  readonly seed: number;
  readonly size: SandboxSize;
  readonly empty: boolean;
  readonly data: SandboxData;
  readonly school: SeededSchool;
  readonly twin: Twin | undefined;
  readonly now: () => number;
  readonly onEvent: (event: string, record: { readonly id: number }) => void;
  readonly onChange: (name: string, kind: ChangeKind, record: Identified, before: Identified | undefined) => void;
  readonly manners: SandboxManners;
}

export function createStore(options: StoreOptions): CreatedStore {
  const { size, empty, data, school, twin, now, onEvent, onChange, manners } = options;
  const collections = new Map<string, Collection<never>>();
  // False while the initial records are written, because they must not send webhooks.
  let begun = false;
  // Above 0 during a write: the fields of further writes that it causes are not checked.
  let depth = 0;
  // Set when the first seeded record is made, because a Worker has no date while modules load.
  let firstMonday: number | undefined;
  let restored: number | undefined;
  const monday = () => {
    firstMonday ??= mondayOf(now(), manners.timeZone);
    return restored ?? firstMonday;
  };
  const layAround = (week: number | undefined) => {
    if ((week ?? firstMonday) !== (restored ?? firstMonday)) for (const each of collections.values()) each.forget();
    restored = week;
  };
  const writeInternally = <R>(write: () => R): R => {
    depth++;
    try {
      return write();
    } finally {
      depth--;
    }
  };
  function collectionOf(name: CollectionName, seed: Seed<never>): Collection<never> {
    const { count, columns, always = false, wants = {}, parts = {} as PartDefaults<never> } = seed;
    let relations: Relations<never> | undefined;
    return new Collection<never>({
      name,
      seed: options.seed,
      // With a twin, even an empty sandbox has the twin's custom fields, objects and associations.
      count: empty && !always && !(twin && name.startsWith("custom")) ? 0 : count,
      columns: manneredColumns(columns, manners, () => factsOf(name).schema) as never,
      firstId: manners.identifiers === "large" ? LARGE_ID : undefined,
      now,
      monday,
      identify: seed.identify,
      guard: (given, write) => {
        if (given && begun && depth === 0) checkWritten(name, given, store);
        return writeInternally(write);
      },
      completed: (given, make, create) => {
        relations ??= new Relations<never>({ name, ...factsOf(name), columns, wants, parts, store });
        return relations.complete(given, make as (fields: object) => never, create) as never;
      },
      onChange: (kind, record, before) => {
        if (begun) onChange(name, kind, record, before);
        if (begun) for (const event of eventsOf(seed, kind, record, before)) onEvent(event, record);
        const after = kind === "deleted" ? undefined : record;
        seed.follow?.(after, before);
        for (const related of seed.relatedEvents?.(after, before) ?? []) {
          if (begun) onEvent(related.event, related.record);
        }
      },
    });
  }
  // The seeds read the store only when a record is made; by then the store is complete.
  const store = {} as Store;
  const world: World = { counts: countsOf(size), school, store, manners };
  for (const [name, seed] of Object.entries(seedsOf(world))) {
    collections.set(name, collectionOf(name as CollectionName, seed as unknown as Seed<never>));
  }
  Object.assign(store, Object.fromEntries(collections));
  Object.assign(store, { organization: organizationViews(store) });
  if (twin) {
    // `fillFrom` adds the records of a small seeded school to those of the twin, so that every day has current courses.
    const present = createStore({ ...options, size: "small", empty: false, data: {}, twin: undefined });
    writeInternally(() =>
      fillFrom(twin, { store, present: present.store, people: world.counts.people, seed: options.seed }),
    );
  }
  insertData(data, store);
  for (const each of collections.values()) each.settle();
  begun = true;
  return {
    store,
    days: daysFrom(monday),
    version: () => [...collections.values()].reduce((sum, { version }) => sum + version, 0),
    writeInternally,
    reset: () => {
      layAround(undefined);
      for (const each of collections.values()) each.reset();
    },
    state: () => ({
      monday: monday(),
      written: Object.fromEntries([...collections].map(([name, each]) => [name, each.state()])),
    }),
    restore: ({ monday: week, written }) => {
      layAround(week);
      for (const [name, each] of collections) each.restore(written[name] as CollectionState<never> | undefined);
    },
  };
}
