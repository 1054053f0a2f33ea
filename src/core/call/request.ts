import * as z from "zod/mini";
import { InputError, type InputIssue } from "../errors.js";
import { model, type Schema } from "../model.js";
import type { Operation } from "../operation.js";
import type { ArrayFormat } from "../options.js";
import { explainReadOnly } from "../read-only-fields.js";
import { check, toInputIssue } from "../validation/issues.js";
import { StrictTwins } from "../validation/strict-schema.js";

/** The parts a caller passes to an operation. */
export interface OperationParts {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

/** A request, ready to be sent. */
export interface BuiltRequest {
  /** Path below the API's prefix, parameters filled in and encoded. */
  readonly path: string;
  /** Query as name and value, in the order written. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Body as JSON text; null when there is none. */
  readonly body: string | null;
}

/** Turns a row and what the caller passed into requests, and refuses what the service could not mean. */
export class RequestBuilder {
  readonly #twins = new StrictTwins("input");
  readonly #queries = new WeakMap<Operation, Schema>();
  readonly #arrayFormat: ArrayFormat;

  constructor(arrayFormat: ArrayFormat) {
    this.#arrayFormat = arrayFormat;
  }

  /**
   * Checks and writes a request.
   * @param path the row's path, or the one `routes` put in its place.
   * @throws InputError naming every field that is wrong; nothing was sent.
   */
  build(row: Operation, path: string, parts: OperationParts): BuiltRequest {
    const issues: InputIssue[] = [];
    const params = this.#checked("path parameters", row.params, parts.params, issues);
    const query = this.#checked("query", this.#querySchema(row), parts.query ?? {}, issues);
    const body = row.body ? this.#checked("body", row.body, parts.body, issues) : undefined;
    const filled = issues.length > 0 ? "" : fillPath(path, (params ?? {}) as Record<string, unknown>, issues);
    if (issues.length > 0)
      throw inputError(
        row.id,
        issues.map((issue) => explainReadOnly(row, issue)),
      );
    const written = writeQuery((query ?? {}) as Record<string, unknown>, this.#arrayFormat);
    for (const [name, value] of written) {
      if (!value.isWellFormed()) issues.push({ path: name, message: "has half a character, which a URL cannot carry" });
    }
    if (issues.length > 0) throw inputError(row.id, issues);
    return {
      path: filled,
      query: written,
      body: body === undefined ? null : writeBody(row.id, body),
    };
  }

  #checked(what: string, schema: Schema | undefined, value: unknown, issues: InputIssue[]): unknown {
    if (!schema) return undefined;
    const checked = check(this.#twins.of(schema), value);
    for (const issue of checked.mismatches.map(toInputIssue)) {
      // What is wrong as a whole has no name of its own.
      issues.push(issue.path === "" ? { path: "", message: `the ${what} ${issue.message}` } : issue);
    }
    return checked.value;
  }

  // The query of a list is its filters and the pagination parameters its row accepts.
  #querySchema(row: Operation): Schema | undefined {
    if (!row.paged || row.paged === "none") return row.query;
    let schema = this.#queries.get(row);
    if (!schema) {
      const filters = (row.query as z.ZodMiniObject | undefined)?.shape;
      const page = row.paged === "cursor+page" ? { page: z.optional(z.int().check(z.minimum(1))) } : {};
      schema = model(() => ({
        ...filters,
        cursor: z.optional(z.string().check(z.minLength(1))),
        per_page: z.optional(z.int().check(z.minimum(1), z.maximum(100))),
        ...page,
      }));
      this.#queries.set(row, schema);
    }
    return schema;
  }
}

/** Writes an InputError whose message names the operation and every field. */
export function inputError(operation: string, issues: readonly InputIssue[]): InputError {
  const what = issues.map((issue) => (issue.path === "" ? issue.message : `${issue.path} ${issue.message}`)).join("; ");
  return new InputError(`${operation}: ${what}. Nothing was sent.`, issues, { operation });
}

// A path parameter that ends or climbs out of its segment would reach another endpoint. Encoded forms are refused as
// well: some servers decode before they route.
const CLIMBS = /^\.{1,2}$|[/\\]|%(2f|5c|2e)/i;

function fillPath(template: string, params: Record<string, unknown>, issues: InputIssue[]): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    const text = value === undefined || value === null ? "" : String(value);
    if (text === "" || CLIMBS.test(text) || !text.isWellFormed()) {
      issues.push({
        path: name,
        message: "cannot stand in a path: it is empty, a dot, or has slashes or half characters",
      });
      return "";
    }
    return encodeURIComponent(text);
  });
}

/** Writes a query as names and values, arrays in the format given; what is undefined or null is left out. */
export function writeQuery(query: Record<string, unknown>, format: ArrayFormat): [string, string][] {
  const pairs: [string, string][] = [];
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    if (!Array.isArray(value)) pairs.push([name, String(value)]);
    else if (format === "comma") {
      if (value.length > 0) pairs.push([name, value.map(String).join(",")]);
    } else for (const item of value) pairs.push([format === "brackets" ? `${name}[]` : name, String(item)]);
  }
  return pairs;
}

/**
 * Writes a body as JSON.
 * @throws InputError for what JSON has no form for.
 */
export function writeBody(operation: string, body: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(body);
  } catch {
    // Told below, without the platform's words: they may name fields of the body.
  }
  if (text === undefined) {
    const message = "the body cannot be written as JSON: it is a function or symbol, or has a cycle or a BigInt";
    throw inputError(operation, [{ path: "", message }]);
  }
  return text;
}
