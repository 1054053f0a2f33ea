import type { CustomKind } from "../../models/custom-kinds.js";
import { fieldsIn, type SchoolDefinitions, type SchoolField, type SchoolFields } from "../../school/definitions.js";
import { KINDS } from "./school-file.js";

/** How a school's definitions can differ from those of a file. */
export type ChangeKind =
  | "field added"
  | "field removed"
  | "field type"
  | "field title"
  | "field required"
  | "option added"
  | "option removed"
  | "option disabled"
  | "object added"
  | "object removed"
  | "object field added"
  | "object field removed"
  | "object field type"
  | "object field title"
  | "association added"
  | "association removed"
  | "association object";

/** One difference between a school's definitions and those of a file. */
export interface SchoolChange {
  readonly kind: ChangeKind;
  /** Where: `accounts.sector`, `objects.equipment.weight`. */
  readonly path: string;
  /** What differs, for people; empty where the kind says it all. */
  readonly detail: string;
}

/** A removed option, to be looked up: it may only be disabled. */
export interface RemovedOption {
  readonly kind: CustomKind;
  readonly slug: string;
  readonly option: string;
}

/**
 * What changed between two definitions, in the order of the file.
 * @param disabled whether an option that is no longer listed still exists.
 */
export function changesOf(
  before: SchoolDefinitions,
  after: SchoolDefinitions,
  disabled: (option: RemovedOption) => boolean = () => false,
): SchoolChange[] {
  const changes: SchoolChange[] = [];
  for (const kind of KINDS) {
    changes.push(
      ...fieldChanges(kind, "", before[kind], after[kind], (slug, option) => disabled({ kind, slug, option })),
    );
  }
  const [oldObjects, newObjects] = [before.objects ?? {}, after.objects ?? {}];
  for (const slug of slugsOf(oldObjects, newObjects)) {
    const [old, now] = [own(oldObjects, slug), own(newObjects, slug)];
    if (!old || !now)
      changes.push({ kind: old ? "object removed" : "object added", path: `objects.${slug}`, detail: "" });
    else changes.push(...fieldChanges(`objects.${slug}`, "object ", old, now, () => false));
  }
  for (const kind of KINDS) {
    const [old, now] = [before.associations?.[kind] ?? {}, after.associations?.[kind] ?? {}];
    for (const slug of slugsOf(old, now)) {
      const [from, to] = [own(old, slug), own(now, slug)];
      const path = `associations.${kind}.${slug}`;
      if (from === undefined) changes.push({ kind: "association added", path, detail: `to ${to}` });
      else if (to === undefined) changes.push({ kind: "association removed", path, detail: `to ${from}` });
      else if (from !== to) changes.push({ kind: "association object", path, detail: `${from} → ${to}` });
    }
  }
  return changes;
}

/** The options that are no longer listed. */
export function removedOptions(before: SchoolDefinitions, after: SchoolDefinitions): RemovedOption[] {
  const removed: RemovedOption[] = [];
  changesOf(before, after, (option) => {
    removed.push(option);
    return false;
  });
  return removed;
}

/** The differences as lines for people: `+` added, `-` removed, `~` changed. */
export function changeLines(changes: readonly SchoolChange[]): string {
  return changes
    .map(({ kind, path, detail }) => {
      const sign = kind.endsWith(" added") ? "+" : kind.endsWith(" removed") ? "-" : "~";
      return `  ${sign} ${path}: ${kind}${detail === "" ? "" : ` (${detail})`}\n`;
    })
    .join("");
}

function fieldChanges(
  path: string,
  prefix: "" | "object ",
  before: SchoolFields | undefined,
  after: SchoolFields | undefined,
  disabled: (slug: string, option: string) => boolean,
): SchoolChange[] {
  const [old, now] = [fieldsIn(before), fieldsIn(after)];
  const slugs = [...new Set([...old.keys(), ...now.keys()])].sort();
  return slugs.flatMap((slug): SchoolChange[] => {
    const [from, to] = [old.get(slug), now.get(slug)];
    const at = `${path}.${slug}`;
    if (!from) return [{ kind: `${prefix}field added`, path: at, detail: to?.type ?? "" }];
    if (!to) return [{ kind: `${prefix}field removed`, path: at, detail: from.type }];
    return [
      ...(from.type === to.type
        ? []
        : [{ kind: `${prefix}field type`, path: at, detail: `${from.type} → ${to.type}` } as const]),
      ...(from.title === to.title
        ? []
        : [{ kind: `${prefix}field title`, path: at, detail: `${titleOf(from)} → ${titleOf(to)}` } as const]),
      ...requiredChange(at, from, to),
      ...optionChanges(at, from, to, (option) => disabled(slug, option)),
    ];
  });
}

function requiredChange(path: string, from: SchoolField, to: SchoolField): SchoolChange[] {
  if (Boolean(from.required) === Boolean(to.required)) return [];
  return [{ kind: "field required", path, detail: to.required ? "now required" : "no longer required" }];
}

function optionChanges(
  path: string,
  { options: from = [] }: SchoolField,
  { options: to = [] }: SchoolField,
  disabled: (option: string) => boolean,
): SchoolChange[] {
  const added = to.filter((option) => !from.includes(option));
  const removed = from.filter((option) => !to.includes(option));
  return [
    ...added.map((option) => ({ kind: "option added", path, detail: JSON.stringify(option) }) as const),
    ...removed.map(
      (option) =>
        ({
          kind: disabled(option) ? "option disabled" : "option removed",
          path,
          detail: JSON.stringify(option),
        }) as const,
    ),
  ];
}

function titleOf({ title }: SchoolField): string {
  return title === undefined ? "the slug in words" : JSON.stringify(title);
}

function slugsOf(before: object, after: object): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
}

function own<T>(record: Readonly<Record<string, T>>, slug: string): T | undefined {
  return Object.hasOwn(record, slug) ? record[slug] : undefined;
}
