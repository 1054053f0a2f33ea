/** A parsed type of the contract data. */
export type ContractType =
  | { kind: "integer"; min?: number; max?: number }
  | { kind: "number" | "string" | "decimal" | "datetime" | "date" | "boolean" | "object" }
  | { kind: "literals"; values: string[] }
  /** A value that has one of several types. */
  | { kind: "either"; of: ContractType[] }
  | { kind: "array"; of: TypeWithNull }
  | { kind: "shape"; fields: Field[] }
  /**
   * The name of an enumeration, record or payload, or `CustomFields`, `CustomAssociations` or
   * `CustomAssociationsPayload`.
   */
  | { kind: "name"; name: string };

/** A type that may allow null as well. */
export interface TypeWithNull {
  type: ContractType;
  nullable: boolean;
}

/** A field as the contract data describes it. */
export interface FieldSource {
  type: string;
  required?: boolean;
  optional?: boolean;
  deprecated?: boolean;
  deprecated_in?: readonly string[];
  feature?: string;
  const?: string;
  source?: string;
}

/** A field or parameter of the contract. */
export interface Field extends TypeWithNull {
  name: string;
  /** True if the field must be sent; only for inputs. */
  required: boolean;
  /** True if the field is a list that must not be empty; only for inputs. */
  notEmpty?: boolean;
  /** True if some renderings or APIs lack the field; only for records. */
  optional: boolean;
  deprecated: boolean;
  /**
   * True for a path parameter. A text in a path may be any text, even if the name ends in `id`; elsewhere, a text field
   * with such a name also accepts a number.
   */
  inPath: boolean;
  /** The APIs in which the field is deprecated, although it is not deprecated in the others. */
  deprecatedIn: readonly string[];
  /** The feature flag that the field needs, or null. */
  feature: string | null;
  /** The only value that the field may have, or null if it may have several. */
  constant: string | null;
}

const SIMPLE = ["number", "string", "decimal", "datetime", "date", "boolean", "object"] as const;

// Distinguishes types such as `string|boolean|null` from texts such as `name:asc|name:desc`.
const KNOWN_TYPE = /^(array<.*>|\{.*\}|[A-Z]\w+|integer(\(.*\))?|number|string|decimal|datetime|date|boolean|object)$/s;

/**
 * Parses the fields of an operation, record or payload.
 * @param inPath true for path parameters.
 */
export function parseFields(fields: Record<string, FieldSource>, inPath = false): Field[] {
  return Object.entries(fields).map(([name, source]) => ({
    name,
    ...parseType(source.type),
    required: source.required ?? false,
    optional: source.optional ?? false,
    deprecated: source.deprecated ?? false,
    deprecatedIn: source.deprecated_in ?? [],
    inPath,
    feature: source.feature ?? null,
    constant: source.const ?? null,
  }));
}

/** Parses a type such as `array<{id:integer, name:string|null}>|null`. */
export function parseType(text: string): TypeWithNull {
  const options = splitAt(text.trim(), "|");
  const others = options.filter((option) => option !== "null");
  const nullable = others.length < options.length;
  if (others.length > 1) {
    const types = others.every((option) => KNOWN_TYPE.test(option));
    return {
      type: types ? { kind: "either", of: others.map(parseOne) } : { kind: "literals", values: others },
      nullable,
    };
  }
  return { type: parseOne(others[0] ?? ""), nullable };
}

function parseOne(text: string): ContractType {
  const array = /^array<(.*)>$/s.exec(text);
  if (array) return { kind: "array", of: parseType(array[1] ?? "") };
  const shape = /^\{(.*)\}$/s.exec(text);
  if (shape) {
    const pairs = splitAt(shape[1] ?? "", ",").map((pair) => {
      const colon = pair.indexOf(":");
      return [pair.slice(0, colon).trim(), { type: pair.slice(colon + 1).trim() }] as const;
    });
    return { kind: "shape", fields: parseFields(Object.fromEntries(pairs)) };
  }
  const integer = /^integer(?:\((\d+)\.\.(\d+)\)|\(>=(\d+)\))?$/.exec(text);
  if (integer) {
    const [, from, to, least] = integer;
    const min = from ?? least;
    return {
      kind: "integer",
      ...(min !== undefined && { min: Number(min) }),
      ...(to !== undefined && { max: Number(to) }),
    };
  }
  const simple = SIMPLE.find((kind) => kind === text);
  if (simple) return { kind: simple };
  if (/^[A-Z]\w+$/.test(text)) return { kind: "name", name: text };
  throw new Error(`the contract has a type this reader does not know: ${text}`);
}

// Splits a text at separators that are not within brackets.
function splitAt(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if ("<{(".includes(character)) depth++;
    else if (character === "}" || character === ")" || character === ">") {
      // The ">" in "integer(>=1)" closes no bracket.
      if (!(character === ">" && text.charAt(at + 1) === "=")) depth--;
    } else if (depth === 0 && character === separator) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  const last = text.slice(start).trim();
  return last === "" ? parts : [...parts, last];
}
