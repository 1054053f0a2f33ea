import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { toBulkRow } from "../../bulk/history.js";
import type { PlannedRow } from "../../bulk/lines.js";
import { isPlanFile } from "../../bulk/node-kept.js";
import { cellsIn } from "../../bulk/node-report.js";
import { historyOf, type PlanState, plannedRows, readState } from "../../bulk/node-state.js";
import type { BulkRow, RowProblem } from "../../bulk/types.js";
import { isPlainObject } from "../../core/json.js";
import { valueAt } from "../../work/fields/path.js";
import { fileAt } from "../../work/place/node-target.js";
import { writeWhole } from "../../work/place/node-whole.js";
import { pluralize } from "../../work/pluralize.js";
import { TypedCell } from "../../workbook/typed-cell.js";
import { fileOf } from "../files.js";
import { plainText } from "../tell/table.js";
import { UsageError } from "../terminal.js";
import { PAGE_STYLE } from "./page-style.js";

// Rows per table. Browsers lay out only the tables on the screen, so the rows are divided into several tables.
const ROWS_OF_A_TABLE = 250;

// Labels of rows, in the order of the page's filter: rows that need attention come first.
const KINDS: Readonly<Record<string, string>> = {
  doubled: "exists twice",
  unknown: "not known",
  failed: "failed",
  stale: "changed by others",
  refuse: "refused",
  create: "to create",
  update: "to change",
  delete: "to delete",
  created: "created",
  updated: "changed",
  deleted: "deleted",
  leave: "unchanged",
};

const MEANING: Readonly<Record<string, string>> = {
  doubled: "Two records exist: remove one of them.",
  unknown: "It is not known whether this was carried out: look for the record.",
  stale: "Someone else has changed this record since the plan was made, so it was left as it is.",
};

const TONES: Readonly<Record<string, string>> = {
  create: "plan",
  update: "plan",
  delete: "plan",
  created: "good",
  updated: "good",
  deleted: "good",
  leave: "soft",
};

const STYLE = `${PAGE_STYLE}
body{padding:1rem;overflow-wrap:anywhere}p{margin:.4rem 0}
fieldset{border:1px solid var(--line);border-radius:.35rem;display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:.6rem 0}
section{content-visibility:auto;contain-intrinsic-size:auto 9000px;overflow-x:auto}
table{table-layout:fixed;margin-bottom:1rem}.wide table{width:160rem}
th:nth-child(1){width:4em}th:nth-child(2){width:11em}td p{margin:0}
.mark.plan{background:var(--accent)}.mark.soft{color:var(--on)}.mark:not(.plan,.good,.soft){background:var(--bad)}
del{color:var(--bad)}ins{color:var(--good);text-decoration:none;font-weight:600}td p.why{color:var(--bad);font-weight:600}
body:not(:has(#all:checked)) section{content-visibility:visible}
@media (max-width:48rem){.wide table{width:100%}thead{position:absolute;clip-path:inset(50%)}tr,td{display:block}td{border:0;padding:.1rem .5rem}td:empty{display:none}td:nth-child(1){float:left;font-weight:600}td[data-of]::before{content:attr(data-of) ": ";color:var(--soft)}tr{border-top:1px solid var(--line);padding:.4rem 0}}
@media print{fieldset{display:none}section{content-visibility:visible;overflow:visible}.wide table{width:100%}body{font-size:9pt}tr{break-inside:avoid}}
${Object.keys(KINDS)
  .map((kind) => {
    const only = `body:has(#${kind}:checked)`;
    return `${only} tbody tr:not(.${kind}),${only} section:not(:has(.${kind})){display:none}`;
  })
  .join("\n")}`;

// Forbids all scripts, so that the content of a cell could not run even without escaping.
const POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; base-uri 'none'; form-action 'none'`;

/**
 * Writes a plan and the outcome of its rows as a web page for the person who approves the plan. The page loads nothing
 * and needs no script. Only its owner can read a new file; a replaced file keeps its permissions.
 * @returns a sentence on who can read the file.
 */
export async function writePlanPage(plan: string, path: string): Promise<string> {
  const target = await fileOf(path, null, "--html");
  if (target.path === (await fileAt(resolve(plan))))
    throw new UsageError("--html: the file is the plan itself; name another file");
  if (await isPlanFile(target.path)) throw new UsageError("--html: the file is another plan; name another file");
  const state = await readState(plan);
  const counts = new Map<string, number>();
  const paths = new Set([...Object.keys(state.header.columns ?? {}), ...state.header.key]);
  for await (const planned of plannedRows(plan, state)) {
    const row = withParts(toBulkRow(historyOf(planned, state)));
    const kind = kindOf(row);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    for (const path of [...Object.keys(row.send), ...Object.keys(row.differs)]) paths.add(path);
    for (const { field } of row.why) if (field !== undefined) paths.add(field);
  }
  const file = await sourceOf(state);
  const columns = columnsOf([...paths], state, file.head);
  async function* page(): AsyncGenerator<string> {
    yield headOf(plan, state, counts);
    let at = 0;
    // Rows that need attention come first.
    for (const isFirst of [true, false]) {
      for await (const planned of plannedRows(plan, state)) {
        const row = withParts(toBulkRow(historyOf(planned, state)));
        if ((TONES[kindOf(row)] === undefined) !== isFirst) continue;
        if (at % ROWS_OF_A_TABLE === 0) yield `${at === 0 ? "" : TABLE_END}${tableOf(columns, at)}`;
        yield rowOf(row, await file.sourceValues(planned), columns);
        at++;
      }
    }
    yield `${at === 0 ? "" : TABLE_END}</main>\n</html>\n`;
  }
  await writeWhole(target.path, page());
  const readers = (await stat(target.path)).mode & 0o077 ? "others may be able to read it" : "only you can read it";
  return `Written: ${path}. It holds the values of the rows, and ${readers}.\n`;
}

/** A column of the page: its name in the source file, and the paths of the fields that it fills. */
interface Column {
  readonly title: string;
  readonly paths: readonly string[];
}

// The file's columns in their order, then the fields without a column.
function columnsOf(paths: readonly string[], { header }: PlanState, head: readonly string[]): Column[] {
  const rank = ({ title }: Column) => (head.includes(title) ? head.indexOf(title) : head.length);
  return [...Map.groupBy(paths, (path) => header.columns?.[path] ?? path)]
    .map(([title, its]) => ({ title, paths: its }))
    .sort((one, other) => rank(one) - rank(other));
}

/** The original rows: the column names of a CSV file, and a row's values by column. */
async function sourceOf({ header }: PlanState) {
  const { delimiter = ",", head: line } = header.input?.csv ?? {};
  const head = line === undefined ? [] : await cellsIn(line.replace(/^\uFEFF/, ""), delimiter);
  return {
    head,
    async sourceValues({ in: came, key }: PlannedRow): Promise<(column: Column) => unknown> {
      const cells = typeof came === "string" && line !== undefined ? await cellsIn(came, delimiter) : null;
      return ({ paths, title }) => {
        if (cells) return cells[head.indexOf(title)];
        if (isPlainObject(came)) {
          const value = TypedCell.from(Object.hasOwn(came, title) ? came[title] : valueAt(came, title.split(".")));
          return value instanceof TypedCell ? value.text : value;
        }
        return paths.includes(header.key[0] ?? "") ? key : undefined;
      };
    },
  };
}

const TABLE_END = "</tbody></table></section>\n";

function tableOf(columns: readonly Column[], at: number): string {
  const titles = columns.map(({ title }) => `<th scope="col">${escapeHtml(title)}`).join("");
  const label = `tabindex="0" role="region" aria-label="Rows from row ${at + 1}"`;
  return `<section ${label}${columns.length > 9 ? ' class="wide"' : ""}><table><thead><tr><th scope="col">Row<th scope="col">What${titles}</thead><tbody>\n`;
}

function kindOf({ outcome, do: planned }: BulkRow): string {
  if (outcome === null) return planned;
  return { unchanged: "leave", refused: "refuse" }[outcome as string] ?? outcome;
}

function headOf(name: string, { header, end }: PlanState, counts: ReadonlyMap<string, number>): string {
  const { resource, address, made, action } = header;
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const open = ["create", "update", "delete"].reduce((sum, kind) => sum + (counts.get(kind) ?? 0), 0);
  const filters = Object.keys(KINDS).flatMap((kind) =>
    counts.has(kind) ? filter(kind, `${counts.get(kind)} ${KINDS[kind]}`, false) : [],
  );
  const title = `${action === undefined ? "Plan" : `Plan to ${action}`}: ${resource}`;
  const done = open === 0 ? "Nothing is left to be sent." : `${pluralize(open, "row")} to be sent.`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
<main>
<h1>${escapeHtml(title)}</h1>
<p>${pluralize(all, "row")}. ${done} Approving this page approves plan <strong>${escapeHtml(end.digest)}</strong>.</p>
<p>For ${escapeHtml(address)}, made ${escapeHtml(made.slice(0, 16).replace("T", " "))} UTC, file ${escapeHtml(name.replace(/^.*[/\\]/, ""))}</p>
<fieldset><legend>Show</legend>
${filter("all", `all ${pluralize(all, "row")}`, true)}
${filters.join("\n")}
</fieldset>
`;
}

function filter(id: string, label: string, isChecked: boolean): string {
  return `<label><input type="radio" name="show" id="${id}"${isChecked ? " checked" : ""}> ${label}</label>`;
}

function rowOf(row: BulkRow, given: (column: Column) => unknown, columns: readonly Column[]): string {
  const kind = kindOf(row);
  const isOf = ({ paths, title }: Column, { field = "", column }: RowProblem) =>
    paths.includes(field) || column === title;
  const elsewhere = row.why.filter((problem) => !columns.some((column) => isOf(column, problem)));
  const what = [
    `<span class="mark ${TONES[kind] ?? ""}">${KINDS[kind]}</span>`,
    ...(row.id === null ? [] : [`id ${row.id}`]),
    ...(row.ids.length === 0 ? [] : [`see ${row.ids.map(Number).join(", ")}`]),
    ...new Set(elsewhere.map(sentence)),
    ...(MEANING[kind] === undefined ? [] : [MEANING[kind]]),
    ...(row.confirmed === false ? ["The list does not show this record yet."] : []),
  ];
  const cells = columns.map((column) => {
    const { paths, title } = column;
    const whys = new Set(row.why.filter((problem) => isOf(column, problem)).map(({ message }) => message));
    const sends = new Set(paths.filter((path) => path in row.send).map((path) => changeHtml(row, path)));
    const parts = [
      sends.size > 0 ? [...sends].join("<br>") : plainCell(given(column)),
      ...paths.flatMap((path) => {
        const stored = row.differs[path];
        return stored ? `<p class="why">The service stored ${value(stored[1])}.</p>` : [];
      }),
      ...[...whys].map((message) => `<p class="why">${sentence({ message })}</p>`),
    ].join("");
    return parts === "" ? "<td>" : `<td data-of="${escapeHtml(title)}">${parts}`;
  });
  return `<tr class="${kind}"><td>${row.row}<td>${what.join("<br>")}${cells.join("")}\n`;
}

// If a row sends a whole address, replaces it with a separate value for each part.
function withParts(row: BulkRow): BulkRow {
  const wholes = Object.entries(row.send).filter(([, value]) => isPlainObject(value));
  if (wholes.length === 0) return row;
  const send = { ...row.send };
  const before = { ...row.before };
  for (const [path, whole] of wholes) {
    delete send[path];
    for (const [part, value] of Object.entries(whole as Readonly<Record<string, unknown>>)) {
      send[`${path}.${part}`] = value;
      if (path in row.before) before[`${path}.${part}`] = valueAt(row.before[path], [part]);
    }
  }
  return { ...row, send, before };
}

function changeHtml({ send, before }: BulkRow, path: string): string {
  const now = `<ins>${value(send[path])}</ins>`;
  return path in before ? `<del>${value(before[path])}</del> → ${now}` : now;
}

function plainCell(given: unknown): string {
  return given === undefined || given === null || given === "" ? "" : value(given);
}

function sentence({ column, field, message }: RowProblem): string {
  const where = column === undefined ? field : `Column ${column}`;
  const text = where === undefined ? message : `${where}: ${message}`;
  return escapeHtml(/[.!?]$/.test(text) ? text : `${text}.`);
}

function value(given: unknown): string {
  if (given === null || given === undefined || given === "") return "<i>empty</i>";
  return `<bdi>${escapeHtml(given)}</bdi>`;
}

function escapeHtml(given: unknown): string {
  return plainText(given).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
