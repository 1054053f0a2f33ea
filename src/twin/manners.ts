import { linkTarget } from "../core/link-header.js";
import { fieldsOf, formatOf, unwrap } from "../core/schema/traits.js";
import type { Behavior } from "../doctor/evidence.js";
import type { AnyRecord, Reading } from "../doctor/reader.js";

const APART_MS = 60_000;
const LARGE = 2 ** 40;
const LONG = 5_000;

/** The service's behavior, as far as responses reveal it, as `manners` for a sandbox. */
export function mannersIn(evidence: Behavior): Record<string, string> {
  const { samples, pages, two, odd, keyless, wrongKey, readings } = evidence;
  const lists = samples.filter(({ page }) => page);
  const isFull = two?.reading.page && two.reading.records.length === two.ids.length;
  const refusalStatus = (isFlagged: boolean) =>
    statusOf(samples.find(({ operation, status }) => Boolean(operation.feature) === isFlagged && status !== 200));
  const seen: Readonly<Record<string, string | false | null | undefined>> = {
    order: orderOf(lists.map(({ records }) => records)),
    total: totalOf(lists, pages?.second),
    ...linksOf(pages ? [...lists, pages.first] : lists),
    lastPage: isFull && (two.reading.page?.hasNext ? "has an empty next" : "has no next"),
    unknownFilters: odd && answerOf(odd.unknown),
    unreadableFilters: odd && answerOf(odd.unreadable),
    arrays: odd && two && arraysOf(two.reading, odd.brackets, two.ids.length),
    perPage: lists.some(({ page, records }) => page?.hasNext && records.length === 50) ? "at most 50" : "as asked",
    times: formOf(readings, "date-time", timeForm),
    decimals: formOf(readings, "decimal", placesForm),
    clock: clockOf(readings),
    withoutKey: statusOf(keyless.find(({ page }) => !page)),
    unknownKey: statusOf(wrongKey),
    missingScope: refusalStatus(false),
    missingFlag: refusalStatus(true),
    errors: errorsOf(readings),
    identifiers: hasRecord(lists, ({ id }) => Number(id) > LARGE) ? "large" : "in turn",
    longNotes: hasRecord(lists, isLong) ? "some" : "none",
  };
  return Object.fromEntries(Object.entries(seen).filter((entry): entry is [string, string] => Boolean(entry[1])));
}

function orderOf(lists: readonly (readonly AnyRecord[])[]): string | null {
  const longer = lists.filter(({ length }) => length > 2);
  const orders = { "by id": "id", "newest first": "id", "by name": "name", "by updated_at": "updated_at" };
  for (const [order, field] of Object.entries(orders)) {
    const sign = order === "newest first" ? -1 : 1;
    const isOrdered = (records: readonly AnyRecord[]) =>
      records.every((record, at) => at === 0 || sign * compareValues(records[at - 1]?.[field], record[field]) <= 0);
    // Ignores lists whose records lack the field, because these lists are ordered by identifier.
    const withField = longer.filter(([record]) => record && field in record);
    if (withField.length > 0 && withField.every(isOrdered)) return order;
  }
  return null;
}

function compareValues(one: unknown, other: unknown): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  return String(one) < String(other) ? -1 : Number(one !== other);
}

function totalOf(lists: readonly Reading[], byNumber: Reading | undefined): string | null {
  if (lists.length === 0) return null;
  const told = lists.filter(({ headers }) => headers.has("total"));
  if (told.length === 0) return byNumber?.headers.has("total") ? "with page numbers" : "absent";
  const ends = told.filter(({ page }) => page && !page.hasNext);
  const isOff = ends.length > 0 && ends.every(({ page, records }) => page?.total === records.length + 2);
  return isOff ? "off by two" : "sent";
}

function linksOf(lists: readonly Reading[]): Record<string, string> {
  const link = lists.find(({ headers }) => linkTarget(headers.get("link"), "next") !== null)?.headers.get("link");
  if (!link) return {};
  return {
    links: linkTarget(link, "next")?.startsWith("/") ? "relative" : "absolute",
    relations: /rel=next/.test(link) ? "bare among others" : "quoted",
  };
}

function answerOf({ page, refusal }: Reading): string | null {
  if (page) return "ignored";
  return refusal && "refused";
}

function arraysOf(repeated: Reading, brackets: Reading, count: number): string {
  if (brackets.records.length !== count) return "repeated";
  return repeated.records.length === count ? "any form" : "with brackets";
}

// How all values of a format are written; null if there are none or they are written in different ways.
function formOf(
  readings: readonly Reading[],
  format: string,
  form: (texts: readonly string[]) => string | null,
): string | null {
  const texts = readings.flatMap(({ operation, records }) =>
    Object.entries(fieldsOf(operation.response)).flatMap(([field, schema]) =>
      formatOf(unwrap(schema)) === format ? records.map((record) => record[field]) : [],
    ),
  );
  const some = texts.filter((text): text is string => typeof text === "string");
  return some.length === 0 ? null : form(some);
}

function timeForm(texts: readonly string[]): string | null {
  if (texts.every((text) => /[+-]\d\d:?\d\d$/.test(text))) return "an offset";
  if (texts.every((text) => /:\d\dZ$/.test(text))) return "whole seconds";
  return texts.every((text) => /\.\d{3}Z$/.test(text)) ? "milliseconds" : null;
}

function placesForm(texts: readonly string[]): string {
  const places = texts.map((text) => text.split(".")[1]?.length ?? 0);
  if (places.every((count) => count >= 4)) return "four places";
  // Percentages and factors may have one decimal even if amounts have two, so a few such values prove nothing.
  return places.filter((count) => count === 1).length > places.length / 4 ? "one place" : "two places";
}

function clockOf(readings: readonly Reading[]): string | null {
  const apart = readings
    .map(({ headers, answered }) => Date.parse(headers.get("date") ?? "") - answered)
    .filter((ms) => !Number.isNaN(ms))
    .sort((a, b) => a - b);
  const { [apart.length >> 1]: middle } = apart;
  if (middle === undefined) return null;
  if (Math.abs(middle) < APART_MS) return "as the client's";
  return middle > 0 ? "4 minutes ahead" : "4 minutes behind";
}

function statusOf(reading: Reading | null | undefined): string | null {
  const { status = null } = reading ?? {};
  return status === 401 || status === 403 || status === 404 ? String(status) : null;
}

function errorsOf(readings: readonly Reading[]): string | null {
  const refused = readings.find(({ status }) => status !== null && status >= 400);
  if (!refused) return null;
  const { refusal, headers } = refused;
  if (refusal?.apiCode === null || !refusal) return /html/.test(headers.get("content-type") ?? "") ? "HTML" : "no body";
  return Array.isArray(refusal.errors) ? "an empty list" : "by field";
}

function hasRecord(lists: readonly Reading[], fits: (record: AnyRecord) => boolean): boolean {
  return lists.some(({ records }) => records.some(fits));
}

function isLong(record: AnyRecord): boolean {
  return Object.values(record).some((value) => typeof value === "string" && value.length >= LONG);
}
