import { fieldsOf, isOptional, traitsOf, unwrap } from "../../core/schema/traits.js";
import { decimalIn, flagIn } from "../../work/fields/text.js";
import { namesOf } from "../fields.js";
import { listedIn } from "../find.js";
import { isPhone } from "../kin.js";
import { anyField, kindField, type Target } from "../target.js";
import type { CellFormats } from "../types.js";
import { cellKind, cellMeant, contentOf, readCell, signOf, textsOf, timeOption } from "./cells.js";
import { codeNamed, NO_VALUE } from "./damage.js";
import { REPORT_COLUMNS } from "./header.js";
import { fieldNamed, isNothing, YES_NO } from "./header-words.js";
import { dayIn, timeIn } from "./times.js";

/** The distinct texts in the cells of each column. */
export type Cells = ReadonlyMap<string, readonly string[]>;

/** The options that the caller gave. */
export interface GivenOptions {
  readonly target: Target;
  readonly keys: readonly string[];
  readonly columns: Readonly<Record<string, string>> | null;
  readonly formats: CellFormats;
  readonly find: readonly string[];
  /** The fields that can be sent to the service. */
  readonly paths: readonly string[];
}

/** Options with which a file can probably be read, judging by its header and cells. */
export interface Proposal {
  readonly columns?: Readonly<Record<string, string>>;
  readonly formats: CellFormats;
  readonly find: Readonly<Record<string, string>>;
  /** The fields into which columns are read. */
  readonly paths: readonly string[];
  /** Columns that seem to belong to no field. */
  readonly unread: readonly string[];
}

/** Proposes the options that a plan lacks. An option for which two values are equally likely is not proposed. */
export function proposeOptions(cells: Cells, given: GivenOptions): Proposal {
  const { columns, unread } = columnsFor(cells, given);
  const isNamed = Object.entries(columns).every(([path, column]) => path === column) && unread.length === 0;
  const byPath = new Map(Object.entries(columns).map(([path, column]) => [path, cells.get(column) ?? []] as const));
  const formats = formatsFor(byPath, given);
  return {
    ...(!given.columns && !isNamed && { columns }),
    ...readingFor(byPath, { ...given, formats: { ...formats, ...given.formats } }, formats),
    paths: Object.keys(columns),
    unread: given.columns ? [] : unread,
  };
}

function columnsFor(cells: Cells, { columns, paths, keys, target }: GivenOptions) {
  const names = [...cells.keys()].filter(
    (name) => name !== "" && !REPORT_COLUMNS.includes(name) && !/\p{C}/u.test(name),
  );
  if (columns) return { columns, unread: [] };
  const known = [...new Set([...keys, ...paths.filter((path) => !path.startsWith("invoice_"))])];
  const byName = Map.groupBy(names, (name) => fieldNamed(name, known) ?? "");
  const found: Record<string, string> = {};
  // If several columns fit a field, some may describe a parent, so only one named exactly like the field is used.
  for (const [path, its] of byName) {
    const [name = ""] = its.includes(path) ? [path] : its;
    if (path !== "" && (its.length === 1 || its.includes(path))) found[path] = name;
  }
  const left = names.filter((name) => !Object.values(found).includes(name));
  for (const [path, isOf] of BY_CONTENT) {
    const field = known.find((one) => one === path || one.endsWith(`.${path}`));
    if (field === undefined || found[field] !== undefined) continue;
    const [name, ...others] = left.filter((one) => isMost(cells.get(one) ?? [], isOf));
    if (name !== undefined && others.length === 0) found[field] = name;
  }
  for (const path of incompleteIn(found, target, paths)) delete found[path];
  const ordered = names.flatMap((name) => Object.entries(found).filter(([, column]) => column === name));
  return { columns: Object.fromEntries(ordered), unread: names.filter((name) => !Object.values(found).includes(name)) };
}

// The paths of addresses that lack a required part: the service would refuse them.
function incompleteIn(found: Readonly<Record<string, string>>, { rows }: Target, paths: readonly string[]): string[] {
  const isLacking = (path: string) => {
    const [top] = namesOf(path);
    const outer = fieldsOf(rows.create?.body)[top];
    const traits = outer && traitsOf(unwrap(outer));
    if (traits?.kind !== "object" || top === path) return false;
    return Object.entries(traits.fields).some(
      ([name, schema]) => !isOptional(schema) && paths.includes(`${top}.${name}`) && !found[`${top}.${name}`],
    );
  };
  return Object.keys(found).filter(isLacking);
}

const BY_CONTENT: readonly (readonly [string, (text: string) => boolean])[] = [
  ["email", (text) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)],
  ["postal_code", (text) => /^[1-9]\d{3} ?[A-Z]{2}$/.test(text)],
  ["phone", (text) => isPhone(text) && /^(0|\+)/.test(text)],
];

function isMost(texts: readonly string[], holds: (text: string) => boolean): boolean {
  return texts.length > 0 && texts.filter(holds).length > 0.8 * texts.length;
}

const DAYS = ["yyyy-MM-dd"].concat(
  ["-", "/", "."].flatMap((sign) =>
    ["dd MM yyyy", "d M yyyy", "MM dd yyyy", "M d yyyy", "dd MM yy", "d M yy"].map((days) =>
      days.replaceAll(" ", sign),
    ),
  ),
  ["yyyy/MM/dd", "yyyyMMdd", "d MMMM yyyy", "d. MMMM yyyy", "d-MMM-yyyy", "d MMM yyyy", "MMMM d, yyyy"],
);
const HOURS = ["HH:mm", "H:mm", "HH:mm:ss", "h:mm a"];
const TIMES = DAYS.flatMap((day) => HOURS.flatMap((hour) => [`${day} ${hour}`, `${day}T${hour}`]));

type Columns = ReadonlyMap<string, readonly string[]>;

function formatsFor(columns: Columns, given: GivenOptions): CellFormats {
  const { target, formats } = given;
  const fields = [...columns].flatMap(([path, texts]) => {
    const field = anyField(target, path);
    const some = texts.filter((text) => !isNothing(text) && !NO_VALUE.test(text));
    return field && some.length > 0 ? [{ field, texts: some }] : [];
  });
  const textsOfKind = (what: "date" | "dateTime") =>
    fields.flatMap(({ field, texts }) => (timeOption(field) === what ? texts : []));
  const flags = fields.flatMap(({ field, texts }) => (contentOf(field).kind === "flag" ? texts : []));
  const amounts = fields.flatMap(({ field, texts }) =>
    signOf(field, cellKind({}, field), {}) === null || contentOf(field).kind === "integer" ? [] : texts,
  );
  const date = formats.date ?? formatOf(textsOfKind("date"), DAYS, (text, format) => dayIn(text, format) !== null);
  const dateTime =
    formats.dateTime ??
    formatOf(textsOfKind("dateTime"), TIMES, (text, format) => "value" in timeIn(text, format, "UTC"));
  const unknown = flags.filter((text) => flagIn(text) === undefined).map((text) => text.toLowerCase());
  // Prefers a pair of which both words occur, because any other word is then probably a mistake.
  const pair =
    YES_NO.find((words) => words.every((word) => unknown.includes(word))) ??
    YES_NO.find((words: readonly string[]) => unknown.length > 0 && unknown.every((text) => words.includes(text)));
  const isComma = amounts.some((text) => /^[+-]?\d[\d.]*,\d{1,2}$/.test(text) && decimalIn(text, ",") !== null);
  const isPoint = amounts.some((text) => /^[+-]?\d[\d,]*\.\d{1,2}$/.test(text));
  return {
    ...(date && date !== DAYS[0] && formats.date === undefined && { date }),
    ...(dateTime && formats.dateTime === undefined && { dateTime }),
    ...(pair && formats.yes === undefined && { yes: pair[0], no: pair[1] }),
    ...(isComma && !isPoint && formats.decimal === undefined && { decimal: "," as const }),
  };
}

// The format that fits most texts; null if none fits more than half of them, or the texts fit both orders of day and
// month.
function formatOf(
  texts: readonly string[],
  formats: readonly string[],
  reads: (text: string, format: string) => boolean,
): string | null {
  const count = (format: string) => texts.filter((text) => reads(text, format)).length;
  let [best, most] = ["", 0];
  for (const format of formats) {
    const read = count(format);
    if (read > most) [best, most] = [format, read];
  }
  if (most <= texts.length / 2) return null;
  const other = best.replace(/^(d+|M+)\/(d+|M+)/, "$2/$1");
  return other !== best && count(other) === most ? null : best;
}

function readingFor(columns: Columns, given: GivenOptions, formats: CellFormats) {
  const { target, find: found } = given;
  const empty = new Set<string>();
  const words: Record<string, string> = {};
  const find: Record<string, string> = {};
  for (const [path, texts] of columns) {
    const field = anyField(target, path) ?? kindField(target, path);
    if (!field) continue;
    const { kind, values: known } = contentOf(field);
    const list = listedIn(target, path);
    const isReference = /_ids?$/.test(path) && list !== null && !found.includes(path);
    const isNumber = (text: string) => textsOf(text, given.formats).every((part) => /^\d+$/.test(part));
    const values = texts.filter((text) => !isNothing(text) && !NO_VALUE.test(text));
    for (const text of texts) if (!values.includes(text)) empty.add(text);
    if (isReference && values.some((text) => !isNumber(text))) find[path] = nameIn(list, values);
    if (isReference || found.includes(path)) continue;
    for (const text of values) {
      const read = readCell(text, field.schema, given.formats, cellKind(given.formats, field));
      const word = /(^|[._])country$/.test(path)
        ? codeNamed("region", text)
        : path === "locale"
          ? codeNamed("language", text)
          : undefined;
      const isKnown = kind !== "enumeration" || ("value" in read && known.includes(String(read.value)));
      if (word !== undefined && !isKnown && known.includes(word)) words[text] = word;
    }
  }
  // Leaves out `empty` texts with a comma and `words` with an equals sign: the command line splits at these.
  const more = [...empty].filter((text) => !text.includes(",") && cellMeant(text, given.formats) === text);
  const turned = Object.entries(words).filter(
    ([text]) => !text.includes("=") && cellMeant(text, given.formats) === text,
  );
  return {
    formats: {
      ...formats,
      ...(more.length > 0 && { empty: [...(given.formats.empty ?? []), ...more] }),
      ...(turned.length > 0 && { words: { ...given.formats.words, ...Object.fromEntries(turned) } }),
    },
    find,
  };
}

// The field by which people refer to the records of a list.
function nameIn(fields: readonly string[], texts: readonly string[]): string {
  const isAddress = isMost(texts, (text) => text.includes("@"));
  return (
    (isAddress ? ["email"] : ["name", "title", "code"]).find((name) => fields.includes(name)) ?? fields[0] ?? "name"
  );
}
