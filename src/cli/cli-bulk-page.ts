import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { shown } from "../bulk/history.js";
import type { PlannedRow } from "../bulk/lines.js";
import { isPlanFile } from "../bulk/node-kept.js";
import { historyOf, type PlanState, plannedRows, readState } from "../bulk/node-state.js";
import type { BulkRow, RowProblem } from "../bulk/types.js";
import { pathByRealFolder, writeWhole } from "../export/node-files.js";
import { counted } from "./counted.js";
import { plainText } from "./table.js";
import { UsageError } from "./terminal.js";

// A browser lays out only those tables that are on the screen.
const ROWS_OF_A_TABLE = 250;
const CHUNK_CHARACTERS = 1 << 16;

// What the reader finds for a row, in the order of the filter: what to look at comes first.
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

// Before those that need nobody, whatever the order of the file.
const LOOKED_AT_FIRST = Object.keys(KINDS).slice(0, Object.keys(KINDS).indexOf("create"));

const MEANING: Readonly<Record<string, string>> = {
  doubled: "Two records exist: remove one of them.",
  unknown: "Nobody knows whether this was carried out: look for the record.",
  stale: "Somebody else has changed this record since the plan was made, so it was left as it is.",
};

const STYLE = `:root{color-scheme:light dark;--line:#8886;--old:#a40e26;--new:#0a6b2d}
@media (prefers-color-scheme:dark){:root{--old:#ff9aa2;--new:#7ee2a0}}
body{font:1rem/1.4 system-ui,sans-serif;margin:1rem auto;max-width:72rem;padding:0 1rem;overflow-wrap:anywhere}
h1{font-size:1.5rem}fieldset{border:1px solid var(--line);display:flex;flex-wrap:wrap;gap:.25rem 1.25rem}
section{content-visibility:auto;contain-intrinsic-size:auto 9000px}
table{border-collapse:collapse;table-layout:fixed;width:100%;margin-bottom:1rem}
caption{text-align:start;font-weight:600;padding:.5rem 0}
th,td{border-top:1px solid var(--line);padding:.3rem .5rem;text-align:start;vertical-align:top}
th:nth-child(1){width:4.5em}th:nth-child(2){width:8em}th:nth-child(3){width:26%}
del{color:var(--old)}ins{color:var(--new);text-decoration:none;font-weight:600}
td p{margin:0}body:not(:has(#all:checked)) section{content-visibility:visible}
@media (max-width:40rem){thead{position:absolute;clip-path:inset(50%)}tr,td{display:block}td{border:0}tr{border-top:1px solid var(--line)}}
@media print{fieldset{display:none}section{content-visibility:visible}body{max-width:none;margin:0;font-size:10pt}tr{break-inside:avoid}}
${Object.keys(KINDS)
  .map((kind) => {
    const only = `body:has(#${kind}:checked)`;
    return `${only} tbody tr:not(.${kind}),${only} section:not(:has(.${kind})){display:none}`;
  })
  .join("\n")}`;

// No script at all: what a cell holds cannot be run even if it was not escaped.
const POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; base-uri 'none'; form-action 'none'`;

/**
 * Writes a plan, and what has become of its rows, as a web page for the person who has to agree. It loads nothing and needs no script.
 * Its owner alone can read a new one; one that is replaced keeps its permissions.
 * @returns a sentence that says who can read it.
 */
export async function writePlanPage(plan: string, path: string): Promise<string> {
  const target = await pathByRealFolder(resolve(path));
  if (target === (await pathByRealFolder(resolve(plan))))
    throw new UsageError("--html: is the plan itself; name another file");
  if (await isPlanFile(target)) throw new UsageError("--html: is another plan; name another file");
  const state = await readState(plan);
  const counts = new Map<string, number>();
  for await (const row of plannedRows(plan, state)) {
    const kind = kindOf(shown(historyOf(row, state)));
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  await writeWhole(target, 0o600, async (file) => {
    let text = headOf(plan, state, counts);
    let at = 0;
    for (const isFirst of [true, false]) {
      for await (const row of plannedRows(plan, state)) {
        const become = shown(historyOf(row, state));
        if (LOOKED_AT_FIRST.includes(kindOf(become)) !== isFirst) continue;
        if (at % ROWS_OF_A_TABLE === 0) text += `${at === 0 ? "" : TABLE_END}${TABLE}`;
        text += rowOf(row, become);
        at++;
        if (text.length < CHUNK_CHARACTERS) continue;
        await file.appendFile(text);
        text = "";
      }
    }
    await file.appendFile(`${text}${at === 0 ? "" : TABLE_END}</main>\n</html>\n`);
  });
  const readers = (await stat(target)).mode & 0o077 ? "others may be able to read it" : "only you can read it";
  return `Written: ${path}. It holds the values of the rows, and ${readers}.\n`;
}

const TABLE =
  '<section><table><thead><tr><th scope="col">Row<th scope="col">What<th scope="col">Record<th scope="col">Values and reasons</thead><tbody>\n';
const TABLE_END = "</tbody></table></section>\n";

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
  const done = open === 0 ? "Nothing is left to be sent." : `${counted(open, "row")} to be sent.`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
<main>
<h1>${escaped(title)}</h1>
<p>${counted(all, "row")}. ${done} Whoever agrees to this page agrees to plan <strong>${escaped(end.digest)}</strong>.</p>
<p>For ${escaped(address)}, made ${escaped(made.slice(0, 16).replace("T", " "))} UTC, file ${escaped(name.replace(/^.*[/\\]/, ""))}</p>
<fieldset><legend>Show</legend>
${filter("all", `all ${counted(all, "row")}`, true)}
${filters.join("\n")}
</fieldset>
`;
}

function filter(id: string, label: string, isChecked: boolean): string {
  return `<label><input type="radio" name="show" id="${id}"${isChecked ? " checked" : ""}> ${label}</label>`;
}

function rowOf({ key, in: given }: PlannedRow, row: BulkRow): string {
  const kind = kindOf(row);
  // Only a row that creates or changes has its key in the plan; others are known by what stood in the file.
  const came = key ?? (given === null || typeof given !== "object" ? given : Object.values(given).join(", "));
  const who = [
    ...(came === undefined ? [] : [value(came)]),
    ...(row.id === null ? [] : [`id ${row.id}`]),
    ...(row.ids.length === 0 ? [] : [`see ${row.ids.map(Number).join(", ")}`]),
  ];
  const parts = [
    ...Object.entries(row.send).map(([path, sent]) =>
      path in row.before
        ? `<b>${escaped(path)}</b> <del>${value(row.before[path])}</del> → <ins>${value(sent)}</ins>`
        : `<b>${escaped(path)}</b> <ins>${value(sent)}</ins>`,
    ),
    ...Object.entries(row.differs).map(
      ([path, [sent, got]]) => `<b>${escaped(path)}</b> was sent as ${value(sent)}; the service stored ${value(got)}`,
    ),
    ...new Set(row.why.map(sentence)),
    ...(MEANING[kind] === undefined ? [] : [MEANING[kind]]),
    ...(row.confirmed === false ? ["The list does not show this record yet."] : []),
  ];
  return `<tr class="${kind}"><td>${row.row}<td>${KINDS[kind]}<td>${who.join("<br>")}<td>${parts.join("<br>")}\n`;
}

function sentence({ column, field, message }: RowProblem): string {
  const where = column === undefined ? field : `Column ${column}`;
  const text = where === undefined ? message : `${where}: ${message}`;
  return escaped(/[.!?]$/.test(text) ? text : `${text}.`);
}

function value(given: unknown): string {
  if (given === null || given === undefined || given === "") return "<i>empty</i>";
  return `<bdi>${escaped(given)}</bdi>`;
}

function escaped(given: unknown): string {
  return plainText(given).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
