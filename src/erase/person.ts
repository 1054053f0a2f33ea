import { isPlainObject } from "../core/json.js";
import { resourceNameOf } from "../core/operation.js";
import { fieldsOf } from "../core/schema/traits.js";
import { fieldClasses } from "../generated/field-classes.js";
import { allOperations } from "../operations.js";
import { resourceOf } from "../resources/references.js";
import { RESOURCES } from "../webhooks/service/refetch.js";

export const PERSONS = {
  user: "users",
  account: "accounts",
  lead: "leads",
  contact: "organization.contacts",
} as const;

export type PersonKind = keyof typeof PERSONS;

export type Values = Readonly<Record<string, unknown>>;

// A record is about the person that one of these references names. Staff, such as `creator`, do not count.
export const ABOUT: readonly string[] = ["student", "user", "personal_user", "contact"];
// References to records that may belong to a person. They count only in a record without a reference in `ABOUT`.
export const BELOW: readonly string[] = [
  "account",
  "lead",
  "order",
  "invoice",
  "enrollment",
  "course_enrollment",
  "commentable",
  "subject",
  "certifiable",
  "gradeable",
];

/** Facts about a person that were found in files, for continuing an interrupted call. */
export interface Known {
  /** Records of the person: `users 41`. */
  readonly records: readonly string[];
  readonly emails: readonly string[];
  readonly texts: readonly string[];
  readonly values: readonly string[];
}

/** Recognizes the records of one person; each one found helps to recognize others. */
export class Person {
  readonly kind: PersonKind;
  readonly id: string;
  readonly #records: Set<string>;
  /** E-mail addresses of the person's own record, by which rows without an identifier are recognized. */
  readonly #emails: Set<string>;
  /** All texts of the person's records. They confirm that a row of an unknown list is the person's. */
  readonly #texts: Set<string>;
  /** Personal texts, for which the remaining files are searched at the end. */
  readonly #values: Set<string>;

  constructor(kind: PersonKind, id: number, known?: Known, emails: readonly string[] = []) {
    this.kind = kind;
    this.id = String(id);
    this.#records = new Set([`${PERSONS[kind]} ${id}`, ...(known?.records ?? [])]);
    this.#emails = new Set(known?.emails);
    this.#texts = new Set(known?.texts);
    this.#values = new Set(known?.values);
    for (const email of emails) this.learnEmail(email);
  }

  /** True if rows without an identifier can be recognized. */
  get hasEmails(): boolean {
    return this.#emails.size > 0;
  }

  learnEmail(value: unknown): void {
    if (typeof value !== "string" || !value.includes("@")) return;
    this.#emails.add(emailForm(value));
    this.#values.add(value.trim());
  }

  isRoot(resource: string, id: unknown): boolean {
    return resource === PERSONS[this.kind] && String(id) === this.id;
  }

  get known(): Known {
    const [records, emails, texts, values] = [this.#records, this.#emails, this.#texts, this.#values].map((one) => [
      ...one,
    ]) as [string[], string[], string[], string[]];
    return { records, emails, texts, values };
  }

  /** Grows with each new fact about the person. */
  get size(): number {
    return this.#records.size + this.#emails.size + this.#texts.size + this.#values.size;
  }

  idsOf(resource: string): ReadonlySet<number> {
    const begin = `${resource} `;
    return new Set([...this.#records].flatMap((one) => (one.startsWith(begin) ? Number(one.slice(begin.length)) : [])));
  }

  get values(): ReadonlySet<string> {
    return this.#values;
  }

  /**
   * True if a record is the person's; its values then help to recognize others.
   * @param resources the resources to which the record may belong; empty if unknown.
   * @param inner true for a nested record, which is recognized only by its references.
   */
  owns(resources: readonly string[], record: Values, inner = false): boolean {
    const id = record.id || null;
    const names = resources.map((resource) => `${resource} ${String(id)}`);
    const isNamed = id !== null && names.some((name) => this.#records.has(name));
    const isSure =
      resources.length === 1 || leavesOf(record).some(([name, text]) => name !== "id" && this.#confirms(text));
    if (
      !(isNamed && isSure) &&
      !this.#isReferred(resources, record) &&
      (inner || id !== null || this.knowsBy(record) !== "person")
    )
      return false;
    const [resource] = resources;
    if (resources.length === 1 && id !== null) this.#records.add(`${resource} ${String(id)}`);
    this.#learn(
      record,
      resources.some((one) => this.isRoot(one, id)),
    );
    return true;
  }

  /** True if a record that `owns` refused has an identifier or an address that may be the person's. */
  mayOwn(resources: readonly string[], record: Values): boolean {
    const id = record.id || null;
    if (id === null) return this.knowsBy(record) === "doubt";
    return resources.length > 1 && resources.some((resource) => this.#records.has(`${resource} ${String(id)}`));
  }

  /** The record without the elements of its lists that are about the person; the record itself if it has none. */
  cut(resource: string | undefined, record: Values): Values {
    let cut = record;
    for (const [name, value] of Object.entries(record)) {
      if (!Array.isArray(value)) continue;
      const rest = value.filter(
        (one) => !(isPlainObject(one) && this.owns(resource ? [resource] : [], { ...one, id: null }, true)),
      );
      if (rest.length < value.length) cut = { ...cut, [name]: rest };
    }
    return cut;
  }

  /**
   * Recognizes a value by its e-mail addresses; null if none is the person's. `doubt` if it also has another address: a
   * child and a parent may be in one row.
   */
  knowsBy(value: unknown): "person" | "doubt" | null {
    const leaves = leavesOf(value).map(([, text]) => text);
    if (!leaves.some((text) => this.#emails.has(emailForm(text)))) return null;
    const all = leaves.flatMap((text) => text.match(ADDRESS) ?? []);
    return all.every((text) => this.#emails.has(emailForm(text))) ? "person" : "doubt";
  }

  #confirms(text: string): boolean {
    return this.#texts.has(text) || this.#emails.has(emailForm(text));
  }

  #isReferred(resources: readonly string[], record: Values): boolean {
    const found = referencesOf(resources[0] ?? "", record);
    const about = found.filter(({ name }) => ABOUT.includes(name));
    return (about.length > 0 ? about : found.filter(({ name }) => BELOW.includes(name))).some(({ to }) =>
      this.#records.has(to),
    );
  }

  #learn(record: Values, isRoot: boolean): void {
    for (const [field, value] of Object.entries(record)) {
      // Skips nested records, such as a teacher, and columns that a report adds.
      if (field.startsWith("_") || (isPlainObject(value) && resourceOf(field, "") !== null)) continue;
      for (const [name, text] of leavesOf(value, field)) {
        if (text.trim().length < SHORTEST) continue;
        this.#texts.add(text);
        if (isRoot && field === "email") this.learnEmail(text);
        // Leaves out elements of lists and choices of custom fields, because many people share them.
        const isTelling = !Array.isArray(value) && !(field === "custom" && !/[\s\d]/.test(text));
        if (isTelling && !PLAIN.has(name) && !COMMON.has(name) && !WITHOUT_PERSON.test(text)) this.#values.add(text);
      }
    }
    const [first, last] = [record.first_name, record.last_name];
    if (isRoot && typeof first === "string" && typeof last === "string" && first && last)
      this.#values.add(`${first} ${last}`);
  }
}

const SHORTEST = 4;
const ADDRESS = /[^\s@<>()[\]",;:|]+@[^\s@<>()[\]",;:|]+/g;
const emailForm = (text: string) => text.trim().toLowerCase();
// Fields whose values many people share, so that equal values do not identify a person.
const COMMON = new Set("city country postal_code state_province first_name last_name gender language".split(" "));
const WITHOUT_PERSON = /^[\d\s:.,TZ+-]{1,9}$|^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$|^-?\d+\.\d+$|^https?:/;
const PLAIN = plainNames();

// Names of fields that are not personal in any kind of record.
function plainNames(): ReadonlySet<string> {
  const all = Object.values(fieldClasses).flatMap((classes) => Object.entries(classes));
  const namesOf = (isPlain: boolean) =>
    all
      .filter(([one]) => (one === "plain" || one === "identifier") === isPlain)
      .flatMap(([, fields]) => fields.split(" "));
  const personal = new Set(namesOf(false));
  return new Set(namesOf(true).filter((name) => !personal.has(name)));
}

function referencesOf(resource: string, record: Values): { readonly name: string; readonly to: string }[] {
  return Object.entries(record).flatMap(([field, value]) => {
    const [, name = ""] = /^(\w+?)(?:_id|\.id)$/.exec(field) ?? ["", isPlainObject(value) ? field : ""];
    const id = isPlainObject(value) ? value.id : value;
    if (name === "" || (typeof id !== "number" && typeof id !== "string") || id === "") return [];
    const type = record[`${name}_type`];
    const to = typeof type === "string" ? resourceOfType(type) : resourceOf(name, resource);
    return to === null ? [] : [{ name, to: `${to} ${id}` }];
  });
}

function resourceOfType(type: string): string | null {
  const kind = type.replace(/(?<!^)(?=[A-Z])/g, "_").toLowerCase();
  return Object.hasOwn(RESOURCES, kind) ? RESOURCES[kind as keyof typeof RESOURCES] : null;
}

/** All texts and numbers in a value, each with the last name of its path. */
export function leavesOf(value: unknown, name = ""): (readonly [name: string, text: string])[] {
  if (typeof value === "string" || typeof value === "number") return [[name.split(".").at(-1) ?? "", String(value)]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => leavesOf(one, Array.isArray(value) ? name : key));
}

/**
 * The resources whose records can have all of these columns.
 * @param file the name of the file, such as `users-2030.csv`: if it begins with one resource's name, only that one.
 */
export function resourcesWith(columns: readonly string[], file: string): readonly string[] {
  const names = columns.map((column) => column.split(".")[0] ?? "");
  const fitting = allOperations.filter(({ paged, response }) => {
    const fields = paged && response ? fieldsOf(response) : {};
    return (
      Object.keys(fields).length > 0 &&
      names.every((name) => Object.hasOwn(fields, name) || Object.hasOwn(fields, `${name}_id`))
    );
  });
  const found = [...new Set(fitting.map(({ id }) => resourceNameOf(id)))];
  // Leaves out lists without a `get`: additional lists of the same records, such as `teachers`, which lists users.
  const main = found.filter((resource) => allOperations.some(({ id }) => id === `${resource}.get`));
  const all = main.length === 1 && new Set(fitting.map(({ response }) => response)).size === 1 ? main : found;
  const [named, ...others] = all.filter((resource) => file.startsWith(resource.split(".").at(-1) ?? ""));
  return named !== undefined && others.length === 0 ? [named] : all;
}

/** Names of all fields of listed records, for finding the header of a file. */
export function knownFields(): readonly string[] {
  return [
    ...new Set(
      allOperations.flatMap(({ paged, response }) => (paged && response ? Object.keys(fieldsOf(response)) : [])),
    ),
  ];
}
