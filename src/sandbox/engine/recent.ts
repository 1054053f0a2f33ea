import type { ChangeKind, Identified, Records } from "../data/collection.js";
import type { Given } from "../data/given.js";
import type { SandboxManners } from "../data/manners.js";
import { Derived } from "../data/view.js";

const SETTLES_MS = 2_000;
const READABLE_MS = 60_000;

interface Change {
  /** The record before the change, which GET requests still return; undefined for a new record. */
  readonly before: Identified | undefined;
  readonly until: number;
}

/** Recent writes that GET requests do not show yet. */
export class Recent {
  readonly #manners: Pick<SandboxManners, "settles" | "deleted">;
  readonly #now: () => number;
  readonly #changes = new Map<string, Map<number, Change>>();

  constructor(manners: Pick<SandboxManners, "settles" | "deleted">, now: () => number) {
    this.#manners = manners;
    this.#now = now;
  }

  note(name: string, kind: ChangeKind, { id }: Identified, before: Identified | undefined): void {
    const { settles, deleted } = this.#manners;
    const stays = kind === "deleted" && deleted === "for a while" ? READABLE_MS : settles === "later" ? SETTLES_MS : 0;
    if (stays === 0) return;
    const changes = this.#current(name);
    const known = changes.get(id);
    changes.set(id, { before: known ? known.before : before, until: this.#now() + stays });
    this.#changes.set(name, changes);
  }

  asRead<T extends Identified>(name: string, records: Records<T>): Records<T> {
    const changes = this.#current(name);
    return changes.size === 0
      ? records
      : new Earlier(records, changes as ReadonlyMap<number, { before: T | undefined }>);
  }

  clear(): void {
    this.#changes.clear();
  }

  #current(name: string): Map<number, Change> {
    const now = this.#now();
    return new Map([...(this.#changes.get(name) ?? [])].filter(([, { until }]) => until > now));
  }
}

class Earlier<T extends Identified> extends Derived<T, T> {
  readonly #changes: ReadonlyMap<number, { readonly before: T | undefined }>;

  constructor(records: Records<T>, changes: ReadonlyMap<number, { readonly before: T | undefined }>) {
    super(records);
    this.#changes = changes;
  }

  // A recently deleted record can still be read.
  override peek(id: number): Readonly<T> | undefined {
    return this.#changes.get(id)?.before ?? super.peek(id);
  }

  protected show(row: Readonly<T>): Readonly<T> | undefined {
    return this.#changes.has(row.id) ? this.#changes.get(row.id)?.before : row;
  }

  draft(fields?: Given<T>): T {
    return this.source.draft(fields);
  }
}
