import type * as z from "zod/mini";

/** The only module that reads zod's internals; other modules call {@link traitsOf}. */

/** A zod schema of any kind. */
export type Schema<Output = unknown, Input = Output> = z.core.$ZodType<Output, Input>;

/** The type that a schema accepts. */
export type InputOf<S extends Schema> = z.input<S>;

/** The type that a schema returns. */
export type OutputOf<S extends Schema> = z.output<S>;

/** The properties of a schema that the library needs to know. */
export type Traits =
  /** An object with named fields; `open` if fields that the schema does not name are expected. */
  | { readonly kind: "object"; readonly fields: Readonly<Record<string, Schema>>; readonly open: boolean }
  | { readonly kind: "array"; readonly item: Schema }
  /** An object with arbitrary keys. */
  | { readonly kind: "record"; readonly value: Schema }
  | { readonly kind: "optional"; readonly inner: Schema }
  | { readonly kind: "nullable"; readonly inner: Schema }
  | EnumerationTraits
  | { readonly kind: "union"; readonly options: readonly Schema[] }
  | VariantTraits
  /** A schema that converts its input; `input` checks the value before the conversion. */
  | { readonly kind: "converted"; readonly input: Schema }
  | { readonly kind: "text" }
  | { readonly kind: "number" }
  | { readonly kind: "boolean" }
  | { readonly kind: "anything" }
  /** A kind of schema that the library does not use; `type` is zod's name for it. */
  | { readonly kind: "other"; readonly type: string };

export interface EnumerationTraits {
  readonly kind: "enumeration";
  /** The known values, in the order of the service description. */
  readonly values: readonly string[];
  /** False if the service description shows only some of the values. */
  readonly complete: boolean;
  /** True for the schema for reading, which accepts any text; false for the schema for sending. */
  readonly open: boolean;
}

/** An object with several variants, distinguished by the value of one field. */
export interface VariantTraits {
  readonly kind: "variants";
  readonly discriminator: string;
  /** One object schema per variant, in which the discriminator has a single value. */
  readonly options: readonly Schema[];
  /** True for the schema for reading, which accepts objects of unlisted variants. */
  readonly open: boolean;
  /**
   * Makes a schema that accepts only the given variants. Passed instead of imported, so that only programs whose
   * records have variants include its code.
   */
  readonly of: (options: readonly Schema[]) => Schema;
}

// Cached, because traits are read for every field of every record.
const known = /* @__PURE__ */ new WeakMap<Schema, Traits>();

export function traitsOf(schema: Schema): Traits {
  const traits = known.get(schema) ?? readTraits(schema);
  known.set(schema, traits);
  return traits;
}

function readTraits(schema: Schema): Traits {
  const registered = registry().get(schema);
  if (registered && registered.kind !== "object") return registered;
  const def = definitionOf(schema);
  switch (def.type) {
    case "object":
      return {
        kind: "object",
        // Lazy, because reading the shape builds it.
        get fields() {
          return def.shape as Readonly<Record<string, Schema>>;
        },
        open: registered?.open ?? acceptsUnknownFields(def),
      };
    case "array":
      return { kind: "array", item: def.element };
    case "record":
      return { kind: "record", value: def.valueType };
    case "optional":
    case "nullable":
      return { kind: def.type, inner: def.innerType };
    case "enum":
      return { kind: "enumeration", values: Object.values(def.entries).map(String), complete: true, open: false };
    case "literal":
      return { kind: "enumeration", values: def.values.map(String), complete: true, open: false };
    case "union":
      return { kind: "union", options: def.options };
    case "pipe":
      return { kind: "converted", input: def.in };
    case "string":
      return { kind: "text" };
    case "number":
    case "boolean":
      return { kind: def.type };
    case "any":
    case "unknown":
      return { kind: "anything" };
    default:
      return { kind: "other", type: def.type };
  }
}

/** True for a zod schema, from this copy of zod or another one. */
export function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && "_zod" in value;
}

/** True for a schema made by `model()`, `openModel()` or `variants()`, in this copy of the library or another one. */
export function isModel(schema: Schema): boolean {
  const kind = registry().get(schema)?.kind;
  return kind === "object" || kind === "variants";
}

export function isOptional(schema: Schema): boolean {
  const traits = traitsOf(schema);
  return traits.kind === "optional" || (traits.kind === "nullable" && isOptional(traits.inner));
}

export function unwrap(schema: Schema): Schema {
  const traits = traitsOf(schema);
  return traits.kind === "optional" || traits.kind === "nullable" ? unwrap(traits.inner) : schema;
}

export function fieldsOf(schema: Schema | undefined): Readonly<Record<string, Schema>> {
  const traits = schema && traitsOf(schema);
  return traits?.kind === "object" ? traits.fields : {};
}

/** The discriminator's value in each variant, in order. */
export function variantNames({ discriminator, options }: Pick<VariantTraits, "discriminator" | "options">): string[] {
  return options.flatMap((option) => {
    const field = fieldsOf(option)[discriminator];
    const traits = field && traitsOf(field);
    return traits?.kind === "enumeration" ? traits.values : [];
  });
}

export function requiredFields(schema: Schema | undefined): string[] {
  return Object.entries(fieldsOf(schema))
    .filter(([, field]) => !isOptional(field))
    .map(([name]) => name);
}

/** Adds the checks of a schema to the schema that replaces it. */
export function withChecksOf(source: Schema, target: z.ZodMiniType): Schema {
  const { checks } = definitionOf(source);
  return checks?.length ? target.check(...(checks as z.core.$ZodCheck<unknown>[])) : target;
}

/**
 * Lets a function reword the issues of a schema, however the schema is called: by `safeParse`, Standard Schema or a
 * form's resolver. Schemas that zod derives from it, as with `check` or `z.partial`, are reworded too. Messages that a
 * caller passes to zod are kept.
 * @param reword turns a schema's issues into those that its caller gets.
 */
export function rewordIssues<S extends Schema>(
  schema: S,
  reword: (schema: Schema, value: unknown, issues: z.core.$ZodRawIssue[]) => z.core.$ZodRawIssue[],
): S {
  const internals = schema._zod;
  const { run, constr } = internals;
  internals.run = (payload, context) => {
    if (context.error) return run(payload, context);
    const { value } = payload;
    // Inner schemas leave their messages empty, because only this schema has the whole value.
    const result = run(payload, { ...context, error: () => "" });
    const rewordResult = (ran: z.core.ParsePayload) => {
      if (ran.issues.length > 0) ran.issues = reword(schema, value, ran.issues);
      return ran;
    };
    return result instanceof Promise ? result.then(rewordResult) : rewordResult(result);
  };
  internals.constr = function make(definition: never): unknown {
    return rewordIssues(new constr(definition) as Schema, reword);
  } as never;
  return schema;
}

/**
 * Sets how JSON Schema describes a schema that zod cannot describe: text that may also be sent as a `Date`, or text
 * with a format that is not checked when read.
 * @param schema must get no further checks afterwards: they would hide this description.
 */
export function onTheWire<S extends Schema>(schema: S, form: z.core.JSONSchema.StringSchema): S {
  schema._zod.toJSONSchema = () => ({ ...form });
  return schema;
}

/**
 * The format of a schema's text or number: `decimal`, `date` or `date-time` for text, `integer` for numbers; null if
 * any text or number is accepted.
 */
export function formatOf(schema: Schema): string | null {
  const { format } = definitionOf(schema) as { readonly format?: string };
  if (format === "safeint" || format === "int32" || format === "uint32") return "integer";
  return (schema._zod.toJSONSchema?.() as { readonly format?: string } | undefined)?.format ?? null;
}

export function register(schema: Schema, traits: Registered): void {
  registry().set(schema, traits);
}

type Registered =
  | { readonly kind: "object"; readonly open: boolean }
  | Extract<Traits, { kind: "record" | "enumeration" | "variants" }>;

// Shared by all copies of the library in a process, because a client from one copy may use resources from another.
const REGISTRY = /* @__PURE__ */ Symbol.for("education-admin-sdk.schemas.v1");

function registry(): WeakMap<Schema, Registered> {
  const shared = globalThis as { [REGISTRY]?: WeakMap<Schema, Registered> };
  shared[REGISTRY] ??= new WeakMap();
  return shared[REGISTRY];
}

function definitionOf(schema: Schema): z.core.$ZodTypes["_zod"]["def"] {
  return schema._zod.def as z.core.$ZodTypes["_zod"]["def"];
}

// Only for schemas that this library did not make: its own schemas are registered.
function acceptsUnknownFields({ catchall }: z.core.$ZodObjectDef): boolean {
  return catchall !== undefined && definitionOf(catchall as Schema).type !== "never";
}
