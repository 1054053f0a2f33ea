import type { CustomKind } from "../models/custom-kinds.js";
import { fieldsIn, KINDS, type SchoolDefinitions, type SchoolField, type SchoolFields } from "./definitions.js";

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

/** One difference between a school's definitions and the definitions in a file. */
export interface SchoolChange {
  readonly kind: ChangeKind;
  /** Where the difference is, such as `accounts.sector` or `objects.equipment.weight`. */
  readonly path: string;
  /** Details of the change as text; empty if its kind is enough. */
  readonly detail: string;
  /** The removed option, if a request can show whether it was only disabled. */
  readonly removed?: RemovedOption | null;
}

/** A removed option, which may only have been disabled. */
export interface RemovedOption {
  readonly kind: CustomKind;
  readonly slug: string;
  readonly option: string;
}

/** The changes between two sets of definitions, in the order of the file. */
export function changesOf(before: SchoolDefinitions, after: SchoolDefinitions): SchoolChange[] {
  const changes = KINDS.flatMap((kind) => fieldChanges(kind, kind, before[kind], after[kind]));
  const [oldObjects, newObjects] = [before.objects ?? {}, after.objects ?? {}];
  for (const slug of namesOf(oldObjects, newObjects)) {
    const [old, now] = [valueAt(oldObjects, slug), valueAt(newObjects, slug)];
    if (!old || !now)
      changes.push({ kind: old ? "object removed" : "object added", path: `objects.${slug}`, detail: "" });
    else changes.push(...fieldChanges(null, `objects.${slug}`, old, now));
  }
  for (const kind of KINDS) {
    const [old, now] = [before.associations?.[kind] ?? {}, after.associations?.[kind] ?? {}];
    for (const slug of namesOf(old, now)) {
      const [from, to] = [valueAt(old, slug), valueAt(now, slug)];
      const path = `associations.${kind}.${slug}`;
      if (from === undefined) changes.push({ kind: "association added", path, detail: `to ${to}` });
      else if (to === undefined) changes.push({ kind: "association removed", path, detail: `to ${from}` });
      else if (from !== to) changes.push({ kind: "association object", path, detail: `${from} → ${to}` });
    }
  }
  return changes;
}

export function changeLines(changes: readonly SchoolChange[]): string {
  return changes
    .map(({ kind, path, detail }) => {
      const sign = kind.endsWith(" added") ? "+" : kind.endsWith(" removed") ? "-" : "~";
      return `  ${sign} ${path}: ${kind}${detail === "" ? "" : ` (${detail})`}\n`;
    })
    .join("");
}

/** @param kind null for the fields of a custom object. */
function fieldChanges(
  kind: CustomKind | null,
  path: string,
  before: SchoolFields | undefined,
  after: SchoolFields | undefined,
): SchoolChange[] {
  const prefix = kind === null ? "object " : "";
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
      ...optionChanges(at, from, to, (option) => kind && { kind, slug, option }),
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
  removedOf: (option: string) => RemovedOption | null,
): SchoolChange[] {
  const added = to.filter((option) => !from.includes(option));
  const removed = from.filter((option) => !to.includes(option));
  return [
    ...added.map((option) => ({ kind: "option added", path, detail: JSON.stringify(option) }) as const),
    ...removed.map((option) => {
      const detail = JSON.stringify(option);
      return { kind: "option removed", path, detail, removed: removedOf(option) } as const;
    }),
  ];
}

function titleOf({ title }: SchoolField): string {
  return title === undefined ? "the slug in words" : JSON.stringify(title);
}

export function namesOf(before: object, after: object): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
}

function valueAt<T>(record: Readonly<Record<string, T>>, slug: string): T | undefined {
  return Object.hasOwn(record, slug) ? record[slug] : undefined;
}
