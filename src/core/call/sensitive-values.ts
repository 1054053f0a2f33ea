import type { Operation } from "../operation.js";
import { type Schema, traitsOf } from "../schema/traits.js";
import type { CallRequest } from "./request.js";

// Shorter values identify no one, and redacting them would remove parts of ordinary words.
const SHORTEST = 4;
// A shorter number may be a count or a year; a longer one may be a citizen service number or a bank account number.
const SHORTEST_NUMBER = 6;

/** The strings in one call that must not appear in errors and events: the token and the values that were sent. */
export function sensitiveValues(
  request: Pick<CallRequest, "operation" | "body" | "query" | "params"> & {
    readonly settings: Pick<CallRequest["settings"], "headers">;
  },
  token: string | null,
): string[] {
  const { operation, body, query, params, settings } = request;
  const found = new Set<string>();
  const known = knownWords(operation);
  if (token !== null && token.length >= SHORTEST) found.add(token);
  const values: (readonly [name: string, value: unknown])[] = [...query, ...Object.entries(params), ["", body]];
  for (const [name, value] of Object.entries(settings.headers)) if (!CORRELATION.test(name)) values.push([name, value]);
  // The list grows during the loop, so that any depth of nesting works without recursion.
  for (const [name, value] of values) {
    if (typeof value === "object" && value !== null) {
      const isArray = Array.isArray(value);
      for (const [key, inner] of Object.entries(value)) values.push([isArray ? name : key, inner]);
    } else if (isSensitive(name, value) && !known.has(value as string)) found.add(String(value));
  }
  return [...found];
}

function isSensitive(name: string, value: unknown): boolean {
  // Identifiers reveal nothing outside the service, and an error without them is hard to investigate.
  if (IDENTIFIER.test(name) && /^\d+$/.test(String(value))) return false;
  if (typeof value === "number") return String(value).length >= SHORTEST_NUMBER;
  return typeof value === "string" && value.length >= SHORTEST;
}

const IDENTIFIER = /(^|_)ids?(\[\])?$/;
// Headers that callers set to find requests in logs; their values are not redacted.
const CORRELATION = /request-?id|correlation|trace/;

const WORDS = /* @__PURE__ */ new WeakMap<Operation, ReadonlySet<string>>();

// Values that reveal nothing about a caller: field names, known enumeration values, words in the path.
function knownWords(operation: Operation): ReadonlySet<string> {
  const known = WORDS.get(operation);
  if (known) return known;
  const words = new Set(operation.path.split("/"));
  for (const schema of [operation.query, operation.body]) if (schema) addWords(schema, words, 0);
  WORDS.set(operation, words);
  return words;
}

function addWords(schema: Schema, words: Set<string>, depth: number): void {
  if (depth > 10) return;
  const traits = traitsOf(schema);
  const into = (inner: Schema) => addWords(inner, words, depth + 1);
  switch (traits.kind) {
    case "object":
      for (const [name, field] of Object.entries(traits.fields)) {
        words.add(name);
        into(field);
      }
      break;
    case "enumeration":
      for (const value of traits.values) words.add(value);
      break;
    case "array":
      into(traits.item);
      break;
    case "optional":
    case "nullable":
      into(traits.inner);
      break;
    case "converted":
      into(traits.input);
      break;
    case "union":
    case "variants":
      for (const option of traits.options) into(option);
      break;
    default:
  }
}
