import { resourceNameOf } from "../../core/operation.js";
import type { Schema } from "../../core/schema/model.js";
import { fieldsOf, type Traits, traitsOf } from "../../core/schema/traits.js";
import { addressSchema } from "../../models/address.js";
import type { Collection, Records } from "../data/collection.js";
import { withoutUndefined } from "../data/given.js";
import type { AnyRecord, Inquiry, Listing, Mark, Order } from "./behavior.js";
import { PAGE_PARAMETERS, type Values } from "./input.js";
import { notFound } from "./refusal.js";
import { checkPairs } from "./rules.js";

/** Carries out an operation that has no handler. */
export function plain(inquiry: Inquiry): object | undefined {
  const { method, paged } = inquiry.row;
  const { show = (record) => record } = inquiry.behavior;
  if (paged) return { ...list(inquiry), show };
  if (method === "POST") return show(create(inquiry));
  if (method === "PUT") return show(update(inquiry));
  if (method === "DELETE") return remove(inquiry);
  return show(one(inquiry));
}

/** @throws Refusal 404 if the path refers to no record. */
export function one(inquiry: Inquiry): AnyRecord {
  const { behavior } = inquiry;
  const id = inquiry.params[behavior.key ?? "id"];
  const known = typeof id === "string" ? behavior.idOf?.(id) : (id as number);
  const record = known === undefined ? undefined : behavior.records(inquiry).get(known);
  if (!record || !selecting(inquiry).every((test) => test(record))) throw notFound();
  return record;
}

// The path parameters besides the record's identifier, such as `planned_course_id`; records have fields of the same
// names.
function namedIn({ behavior, params }: Inquiry): Values {
  const { [behavior.key ?? "id"]: _, ...named } = params;
  return named;
}

function selecting(inquiry: Inquiry): ((row: Readonly<AnyRecord>) => boolean)[] {
  const tests = Object.entries(namedIn(inquiry)).map(([name, value]) => equals(name, value));
  const { scope, published } = inquiry.behavior;
  if (scope) tests.push(scope(inquiry));
  if (inquiry.isPublic && published) tests.push(published);
  return tests;
}

function list(inquiry: Inquiry): Listing<AnyRecord> {
  const { behavior } = inquiry;
  const records = behavior.records(inquiry);
  const tests = selecting(inquiry);
  for (const [name, value] of Object.entries(inquiry.query)) {
    if (value === undefined || PAGE_PARAMETERS.includes(name) || name === "sort") continue;
    const filter = behavior.filters?.[name];
    tests.push(filter ? filter(value as never, inquiry) : equals(name, value));
  }
  const fits = tests.length === 0 ? null : (row: Readonly<AnyRecord>) => tests.every((test) => test(row));
  const sort = (inquiry.query.sort as readonly string[] | undefined) ?? usualSort(records, inquiry);
  if (!sort?.length) return { records, fits, order: null };
  const { keysOf, compare } = orderBy(records, sort);
  const inOrder = () => sortSlots(records, fits, keysOf, compare);
  return {
    records,
    fits,
    order: { slots: fits ? inOrder() : records.slotsInOrder(sort.join(), inOrder), keysOf, compare },
  };
}

const SORTS = { "newest first": "id:desc", "by name": "name", "by updated_at": "updated_at" } as const;

// The default sort of a list; undefined if the list is ordered by identifier, or its records lack the field.
function usualSort(records: Records<AnyRecord>, { manners: { order } }: Inquiry): readonly string[] | undefined {
  if (order === "by id") return undefined;
  const sort = SORTS[order];
  const [field = ""] = sort.split(":");
  const [first] = records.rows();
  return first && field in first ? [sort] : undefined;
}

function equals(field: string, wanted: unknown): (row: Readonly<AnyRecord>) => boolean {
  if (Array.isArray(wanted)) {
    const texts = new Set(wanted.map(String));
    return (row) => texts.has(String(row[field]));
  }
  const text = String(wanted);
  return (row) => String(row[field]) === text;
}

// Records with equal keys stay in their original order.
function orderBy(records: Records<AnyRecord>, sort: readonly string[]): Pick<Order, "keysOf" | "compare"> {
  const orders = sort.map((order) => {
    const [field, direction] = order.split(":") as [string, string?];
    return { field, sign: direction === "desc" ? -1 : 1 };
  });
  return {
    keysOf: (slot) => {
      const row = records.row(slot);
      return orders.map(({ field }) => row?.[field]);
    },
    compare: ([left, leftSlot], [right, rightSlot]) => {
      for (const [at, { sign }] of orders.entries()) {
        const [a, b] = [left[at] as string | null, right[at] as string | null];
        // Null counts as greater than every value, as in PostgreSQL.
        if (a !== b) return b === null || (a !== null && a < b) ? -sign : sign;
      }
      return leftSlot - rightSlot;
    },
  };
}

function sortSlots(
  records: Records<AnyRecord>,
  fits: ((row: Readonly<AnyRecord>) => boolean) | null,
  keysOf: Order["keysOf"],
  compare: Order["compare"],
): number[] {
  const found: Mark[] = [];
  for (let slot = 0; slot < records.slots; slot++) {
    const row = records.row(slot);
    if (row && (!fits || fits(row))) found.push([keysOf(slot), slot]);
  }
  return found.sort(compare).map(([, slot]) => slot);
}

function create(inquiry: Inquiry): AnyRecord {
  const { behavior, row } = inquiry;
  const named = namedIn(inquiry);
  const body = { ...inquiry.body, ...named };
  const shape = fieldsOf(row.response);
  behavior.check?.(body, undefined, inquiry);
  const fields = { ...blank(shape), ...sharedFields(shape, body), ...named, ...behavior.create?.(body, inquiry) };
  const record = writtenBy(inquiry).insert(fields as Partial<AnyRecord>);
  behavior.after?.("created", record, inquiry);
  return record;
}

function update(inquiry: Inquiry): AnyRecord {
  const { behavior, body } = inquiry;
  const record = one(inquiry);
  checkPairs(body, record, inquiry.manners.doubts);
  behavior.check?.(body, record, inquiry);
  const changes: Record<string, unknown> = {
    ...sharedFields(record, body, record),
    ...behavior.update?.(body, record, inquiry),
  };
  const { manners } = inquiry;
  for (const name of ["custom", "properties"]) {
    if (name in changes && manners.custom === "merged")
      changes[name] = { ...(record[name] as object), ...(changes[name] as object) };
  }
  if (manners.labels === "added" && Array.isArray(changes.label_ids)) {
    changes.label_ids = [...new Set([...(record.label_ids as number[]), ...(changes.label_ids as number[])])];
  }
  const isStandardChange = (name: string) =>
    !["custom", "properties", "label_ids"].includes(name) && changes[name] !== record[name];
  if (manners.updatedAt === "own fields" && "updated_at" in record && !Object.keys(changes).some(isStandardChange)) {
    changes.updated_at = record.updated_at;
  }
  const updated = writtenBy(inquiry).update(record.id, changes as Partial<AnyRecord>) as AnyRecord;
  behavior.after?.("updated", updated, inquiry);
  return updated;
}

function remove(inquiry: Inquiry): undefined {
  const { behavior } = inquiry;
  const record = one(inquiry);
  behavior.remove?.(record, inquiry);
  const archived = inquiry.manners.deleted === "archived" ? archivedBy(record, inquiry) : null;
  if (archived) {
    writtenBy(inquiry).update(record.id, archived);
    return;
  }
  writtenBy(inquiry).delete(record.id);
  behavior.after?.("deleted", record, inquiry);
}

const ARCHIVED: Readonly<Record<string, object>> = { leads: { status: "archive" } };

// The fields that mark a record as archived; null if its kind cannot be archived.
function archivedBy(record: AnyRecord, { row }: Inquiry): Partial<AnyRecord> | null {
  if (typeof record.active === "boolean") return { active: false };
  return ARCHIVED[resourceNameOf(row.id)] ?? null;
}

function writtenBy({ behavior: { written }, row }: Inquiry): Collection<AnyRecord> {
  if (!written) throw new Error(`the sandbox has no collection that ${row.id} writes to`);
  return written;
}

// Body fields that the record has under the same name; `address_attributes` becomes `address`.
function sharedFields(shape: object, body: Values, before?: AnyRecord): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    if (name === "address_attributes" && Object.hasOwn(shape, "address"))
      fields.address = addressOf(value as Values | null, before?.address);
    else if (Object.hasOwn(shape, name)) fields[name] = value;
  }
  return fields;
}

function addressOf(sent: Values | null, before: unknown): object | null {
  if (!sent) return null;
  return { ...blank(fieldsOf(addressSchema)), ...(before ?? {}), ...withoutUndefined(sent) };
}

// An empty value for each field whose schema allows one, except optional nested records. The resource's behavior or the
// collection fills in all other fields.
function blank(shape: Readonly<Record<string, Schema>>): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(shape)) {
    const value = blankOf(schema);
    if (value !== undefined && name !== "id") fields[name] = value;
  }
  return fields;
}

function blankOf(schema: Schema): unknown {
  const traits = traitsOf(schema);
  if (traits.kind !== "optional") return BLANKS[traits.kind];
  return holdsRecords(traits.inner) ? undefined : blankOf(traits.inner);
}

function holdsRecords(schema: Schema): boolean {
  const traits = traitsOf(schema);
  if (traits.kind === "nullable") return holdsRecords(traits.inner);
  return traits.kind === "array" ? holdsRecords(traits.item) : traits.kind === "object";
}

const BLANKS: Readonly<Partial<Record<Traits["kind"], unknown>>> = {
  nullable: null,
  array: [],
  record: {},
  boolean: false,
  number: 0,
};
