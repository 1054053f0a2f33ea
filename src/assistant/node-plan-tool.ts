import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { plan } from "../bulk/node-plan.js";
import { rowsOf } from "../bulk/node-state.js";
import type { BulkRow, PlanOptions } from "../bulk/types.js";
import { Resource } from "../core/resource.js";
import type { Schema } from "../core/schema/traits.js";
import { itemOf, parsePath } from "../work/fields/path.js";
import { writeWhole } from "../work/place/node-whole.js";
import { quoteForTerminal } from "../work/shell.js";
import { fieldAt } from "./catalog.js";
import type { AnswerData, Told, Tools } from "./context.js";
import { shownField } from "./gate.js";
import type { Given } from "./input.js";
import { ToolProblem } from "./problem.js";
import { tokensOf, truncateToTokens } from "./tokens.js";

const DIFFERENCES = 20;
const CELL_TOKENS = 40;
// Resources for which an assistant can never plan writes: their writes redirect data, contact people, grant logins or
// move money.
const NEVER: Readonly<Record<string, string>> = {
  webhooks: "they decide where data is sent",
  emails: "a sent e-mail cannot be recalled",
  authentications: "they decide who can log in",
  payments: "they move money",
};

/**
 * Runs the tool that plans writes. Sends only GETs, and writes two files: the plan, and next to it the assistant's
 * reason.
 */
export async function planTool(tools: Tools, given: Given, signal: AbortSignal, told: Told): Promise<AnswerData> {
  const { to, key, rows, why } = given as {
    readonly to: string;
    readonly key: readonly string[];
    readonly rows: readonly Given[];
    readonly why: string;
  };
  const known = tools.catalog.resource(to);
  told.resource = known.name;
  const never = NEVER[known.name];
  if (never !== undefined) throw new ToolProblem(`an assistant never plans ${known.name}: ${never}`, "refused");
  const resource = tools.session.resource(known.name);
  if (!(resource instanceof Resource)) throw new ToolProblem(`this client has no ${known.name}`);
  const operations = [...known.operations.values()];
  told.names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter(
    (name) => name === "id" || operations.some(({ body }) => body && "field" in parsePath(name, body)),
  );
  if (!operations.some(({ method, body }) => body && (method === "POST" || method === "PUT"))) {
    throw new ToolProblem(
      `${known.name} cannot be planned: the service has no operation to create or change them. ${others(tools)}`,
      "refused",
    );
  }
  const response = (known.operations.get("get") ?? known.operations.get("list"))?.response;
  const schema = response ? itemOf(response) : null;
  const isKeyHidden = asksHidden(tools, schema, key);
  const isHidden = isKeyHidden || asksHidden(tools, schema, told.names);
  const folder = resolve(tools.plans ?? ".");
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new ToolProblem(
      `plans cannot be written to ${folder} (${error.code}); tell the user, who can name another folder with --plans or the \`plans\` option`,
      "folder",
    );
  });
  const stamp = new Date(tools.session.clock.now()).toISOString().slice(0, 16).replace(/[-:]/g, "");
  const file = join(folder, `${known.name}-${stamp}-${crypto.randomUUID().slice(0, 8)}.plan`);
  const summary = await plan(resource, rows, { to: file, key, signal } as PlanOptions<Resource>);
  const command = (name: string) => `npx education-admin-sdk bulk ${name} ${quoteForTerminal(file)}`;
  const [show, apply] = [command("show"), `${command("apply")} --confirm ${summary.digest}`];
  const text = `Read it: ${show}\nApply it: ${apply}\n\nThe assistant says why:\n${quoteLines(why)}\n`;
  await writeWhole(`${file}.why.txt`, text);
  const { create, update, leave, refuse, digest } = summary;
  const answer = {
    plan: file,
    digest,
    // Counts of changed and unchanged records would reveal hidden values, guess by guess. If a field of the key is
    // hidden, so would the counts of matched records.
    ...(isKeyHidden
      ? { rows: rows.length, note: HIDDEN_KEY }
      : { create, ...(isHidden ? { matched: update + leave, note: HIDDEN } : { update, leave }), refuse }),
    next: `nothing has been written. A person reads the plan with ${show} and applies it with ${apply}`,
    requests_left: tools.session.left,
  };
  const left = tools.maxTokens - tokensOf(JSON.stringify(answer)) - 20;
  const differences = isKeyHidden ? [] : await differencesOf(tools, schema, file, left, isHidden);
  told.rows = differences.length;
  return { ...answer, differences };
}

const HIDDEN = "some of these fields are hidden: the person sees the differences; you see only why rows were refused";
const HIDDEN_KEY = "a field of the key is hidden: only the person sees what happens to the rows";

// Matches a reason for a refusal that depends only on the row.
const ROW_REASON = /^[\w.]+ (?:is missing|must |is unknown)/;

function asksHidden(tools: Tools, schema: Schema | null, names: readonly string[]): boolean {
  return names.some((name) => {
    try {
      if (name !== "id") shownField(tools, schema as Schema, name.replace("_attributes.", "."), "rows");
      return false;
    } catch {
      return true;
    }
  });
}

function others({ catalog }: Tools): string {
  const names = catalog.names.filter((name) => {
    const { operations } = catalog.resource(name);
    return !(name in NEVER) && ["create", "update"].some((one) => operations.has(one));
  });
  return `Plans can create or update ${names.join(", ")}; a person does everything else, with the \`do\` command or in the service`;
}

async function differencesOf(
  tools: Tools,
  schema: Schema | null,
  file: string,
  tokens: number,
  isHidden: boolean,
): Promise<object[]> {
  const found: object[] = [];
  let left = tokens;
  for await (const row of rowsOf(file)) {
    if (row.do === "leave" || (isHidden && row.do !== "refuse")) continue;
    const one = differenceOf(tools, schema, row);
    const reasons = (one.why ?? []).filter((reason) => ROW_REASON.test(reason));
    const told = isHidden ? { row: row.row, do: row.do, why: reasons } : one;
    // A reason that depends on the record would reveal something about it.
    if (isHidden && reasons.length === 0) continue;
    left -= tokensOf(JSON.stringify(told)) + 1;
    if (left < 0 || found.push(told) === DIFFERENCES) break;
  }
  return found;
}

function differenceOf(
  tools: Tools,
  schema: Schema | null,
  { row, do: action, id, send, before, why }: BulkRow,
): { readonly row: number; readonly do: BulkRow["do"]; readonly why?: readonly string[] } {
  // A changed e-mail address changes the login, so it comes first.
  const paths = Object.keys(send).sort((a, b) => Number(b === "email") - Number(a === "email"));
  const fields = Object.fromEntries(
    paths.map((path) => [path, [short(hideValue(tools, schema, path, before[path])), short(send[path])]]),
  );
  const problems = why.map(({ field, column = field, message }) =>
    truncateToTokens(column === undefined ? message : `${column} ${message}`, CELL_TOKENS),
  );
  return {
    row,
    do: action,
    ...(id !== null && { id }),
    ...(paths.length > 0 && { fields }),
    ...(problems.length > 0 && { why: problems }),
  };
}

// The record's earlier value, if it may be shown. The new value needs no hiding: it came from the model.
function hideValue(tools: Tools, schema: Schema | null, path: string, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  try {
    const names = schema ? fieldAt(schema, path.replace("_attributes.", ".")).names : [];
    const record = names.reduceRight<unknown>((below, name) => ({ [name]: below }), value);
    return schema ? tools.sight.at(schema, record, names) : "[unknown field hidden]";
  } catch {
    return "[unknown field hidden]";
  }
}

// Quotes the assistant's text, so that people do not mistake it for the library's and a terminal does not run it.
function quoteLines(text: string): string {
  const lines = text.split(/\r\n|[\r\n\u2028\u2029]/);
  return lines.map((line) => `> ${line.replace(/[\p{Cc}\p{Cf}]+/gu, " ")}`).join("\n");
}

function short(value: unknown): unknown {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "null");
  const kept = truncateToTokens(text, CELL_TOKENS);
  return kept.length === text.length ? value : `${kept}…`;
}
