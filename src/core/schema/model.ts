import * as z from "zod/mini";
import { InputError } from "../errors.js";
import { withMessages } from "./issues.js";
import { onTheWire, register, type Schema, variantNames } from "./traits.js";

export { onTheWire, type Schema } from "./traits.js";

/**
 * The four ways to write a schema: {@link model} for a record or an input, {@link ref} for a named model inside another
 * model, {@link variants} for a record with several variants, {@link enumeration} for a list of values. Everything
 * is zod/mini without generated code, which satisfies a strict Content-Security-Policy and leaves the application's zod
 * configuration unchanged.
 */

/**
 * Declares a record or an input. Loose at run time, so that fields the service adds are kept; closed in the type,
 * because an index signature would turn every typo into `unknown`. The type keeps the shape as written, so that editors
 * show the comments of its fields. The shape is a function, so that it is built only when needed and bundlers can
 * remove an unused model.
 * @param checks rules that span several fields; they run on values that the fields' own schemas accept.
 */
export function model<S extends z.core.$ZodShape>(
  shape: () => S,
  ...checks: z.core.CheckFn<z.core.output<z.ZodMiniObject<S, z.core.$strip>>>[]
): z.ZodMiniObject<S, z.core.$strip> {
  return lazyObject(shape, false, checks as z.core.CheckFn<unknown>[]) as z.ZodMiniObject<S, z.core.$strip>;
}

/**
 * Declares a record whose fields the service description does not show. The fields in `shape` are known from public
 * sources; all others pass through, typed as `unknown`.
 */
export function openModel<S extends z.core.$ZodShape>(shape: () => S): z.ZodMiniObject<S, z.core.$loose> {
  return lazyObject(shape, true) as z.ZodMiniObject<S, z.core.$loose>;
}

function lazyObject(
  shape: () => z.core.$ZodShape,
  open: boolean,
  checks: z.core.CheckFn<unknown>[] = [],
): z.ZodMiniObject {
  let built: z.core.$ZodShape | undefined;
  const schema = new z.ZodMiniObject({
    type: "object",
    get shape() {
      built ??= shape();
      return built;
    },
    catchall: z.unknown(),
    // The checks are passed here, because adding them with check() would copy the definition and build the shape
    // immediately.
    ...(checks.length > 0 && { checks: checks.map((check) => z.check(check)) }),
  } as z.core.$ZodObjectDef);
  register(schema, { kind: "object", open });
  return withMessages(schema);
}

/**
 * Declares an object with arbitrary keys. `z.record` would do the same, but needs as much code as all other kinds of
 * object together.
 */
export function dictionary<T>(value: Schema): z.ZodMiniType<T, T> {
  const schema = new z.ZodMiniObject({ type: "object", shape: {}, catchall: value });
  register(schema, { kind: "record", value });
  return schema as unknown as z.ZodMiniType<T, T>;
}

/** Gives a nested model a name: the type then shows `Address` instead of all its fields. */
export function ref<T>(schema: z.core.$ZodType<unknown, T>): z.ZodMiniType<T, T> {
  return schema as unknown as z.ZodMiniType<T, T>;
}

/**
 * Declares a record with several variants, distinguished by the value of one field. Like an enumeration, it is open
 * when read: a record of an unlisted variant passes. Its type lists only the known variants, so that comparing the
 * discriminator narrows the type.
 * @param discriminator the field, a `z.literal` in each variant.
 */
export function variants<T>(discriminator: string, options: readonly z.ZodMiniObject[]): z.ZodMiniType<T, T> {
  // For an unlisted variant, only the discriminator is checked. The names of the variants are read only when needed,
  // because reading a model builds it.
  const unlisted = z.looseObject({ [discriminator]: z.string() }).check(({ value, issues }) => {
    const isKnown = variantNames({ discriminator, options }).includes(value[discriminator] as string);
    if (isKnown) issues.push({ code: "custom", input: value, message: "is of a known form" });
  });
  return registeredVariants(discriminator, options, (known) => z.union([known, unlisted]));
}

/** Like {@link variants}, but for sending: only the listed variants pass. */
export function variantsInput<T>(discriminator: string, options: readonly z.ZodMiniObject[]): z.ZodMiniType<T, T> {
  return registeredVariants(discriminator, options, null);
}

function registeredVariants<T>(
  discriminator: string,
  options: readonly z.ZodMiniObject[],
  opened: ((known: z.ZodMiniType) => z.ZodMiniType) | null,
): z.ZodMiniType<T, T> {
  const of = (forms: readonly Schema[]): z.ZodMiniType =>
    z.discriminatedUnion(discriminator, forms as unknown as [z.ZodMiniObject]);
  const schema = opened ? opened(of(options)) : of(options);
  register(schema, { kind: "variants", discriminator, options, open: opened !== null, of });
  return withMessages(schema) as unknown as z.ZodMiniType<T, T>;
}

/** A value from a list that may grow: editors complete the known values, and any other string is allowed. */
export type Open<T extends string> = T | (string & {});

/**
 * One of the service's enumerations: its values and the schemas for reading and sending them. `Sent` is the type of
 * values that can be sent: the known values or, for an incomplete enumeration, any text.
 */
export interface Enumeration<T extends string, Sent extends string = T> {
  /** The known values, in the order of the service description. */
  readonly values: readonly T[];
  /** False if some values or their spelling are unknown: any text can then be sent. */
  readonly complete: boolean;
  /** Schema for sending: accepts the known values and strings passed to `cast`; any string if `complete` is false. */
  readonly schema: z.ZodMiniType<Sent, Sent>;
  /** Schema for reading: any string passes; editors complete the known values. */
  readonly open: z.ZodMiniType<Open<T>, Open<T>>;
  /** Returns true for one of the known values. */
  is(value: unknown): value is T;
  /**
   * Returns the string itself and makes this enumeration's inputs accept it from now on: for a value that the service
   * knows but this version of the library does not. Only the last 1,000 different strings stay accepted.
   * @throws InputError unless the value is text of 1 to 200 characters.
   */
  cast(value: string): T;
}

type Texts = readonly [string, ...string[]];

/**
 * Declares an enumeration. Open when read; closed when sent, unless it is incomplete.
 * @param options.complete false if some values or their spelling are unknown: any text can then be sent, and an unknown
 * value in a response is reported, but strict validation accepts it.
 */
export function enumeration<const V extends Texts>(values: V): Enumeration<V[number]>;
export function enumeration<const V extends Texts>(
  values: V,
  options: { complete: false },
): Enumeration<V[number], Open<V[number]>>;
export function enumeration<T extends string>(
  values: Texts & readonly T[],
  { complete }: { complete: boolean } = { complete: true },
): Enumeration<T, Open<T>> {
  type Sent = z.ZodMiniType<Open<T>, Open<T>>;
  let closed: Sent | undefined;
  let open: Sent | undefined;
  return {
    values,
    complete,
    get schema() {
      closed ??= complete ? (closedSchema(values) as unknown as Sent) : openSchema(values, false, false);
      return closed;
    },
    get open() {
      open ??= openSchema(values, complete, true);
      return open;
    },
    is: (value): value is T => (values as readonly unknown[]).includes(value),
    cast: (value) => castText(values, value) as T,
  };
}

const LONGEST_CAST = 200;

function castText(values: readonly string[], value: unknown): string {
  if (typeof value !== "string" || value === "" || value.length > LONGEST_CAST) {
    const message = `must be text of 1 to ${LONGEST_CAST} characters`;
    throw new InputError(`cast: the value ${message}.`, [{ path: "", message }]);
  }
  if (!values.includes(value)) rememberCast(values, value);
  return value;
}

/**
 * The strings passed to `Enumeration.cast`. A cast value is a plain string, so the closed schema looks it up here. All
 * copies of the library in a process share these strings.
 */
const CAST_TEXTS = /* @__PURE__ */ Symbol.for("education-admin-sdk.cast-texts.v1");

// Callers cast a handful of spellings; strings from untrusted data must not fill the memory.
const MOST_TEXTS = 1_000;

// Keyed by content: copies of the library share no objects, but have the same lists of values.
function castTexts(values: readonly string[]): Set<string> {
  const shared = globalThis as { [CAST_TEXTS]?: Map<string, Set<string>> };
  shared[CAST_TEXTS] ??= new Map();
  const key = JSON.stringify(values);
  const texts = shared[CAST_TEXTS].get(key) ?? new Set();
  shared[CAST_TEXTS].set(key, texts);
  return texts;
}

function rememberCast(values: readonly string[], text: string): void {
  const texts = castTexts(values);
  // Removed first, so that a string that is cast again becomes the newest.
  texts.delete(text);
  texts.add(text);
  if (texts.size > MOST_TEXTS) texts.delete(texts.values().next().value as string);
}

function closedSchema(values: Texts): z.ZodMiniUnion {
  // The check aborts: otherwise zod would report this branch of the union instead of the list of values.
  const cast = z.string().check(rule((text) => castTexts(values).has(text), "", true));
  const schema = onTheWire(z.union([z.enum(values), cast]), { type: "string", enum: [...values] });
  register(schema, { kind: "enumeration", values, complete: true, open: false });
  return withMessages(schema);
}

function openSchema(values: Texts, complete: boolean, open: boolean): z.ZodMiniType<string, string> {
  const schema = z.union([z.enum(values), z.string()]);
  register(schema, { kind: "enumeration", values, complete, open });
  return withMessages(schema);
}

/**
 * Makes a check for a schema. `z.refine` and `z.regex` would each add code to every bundle.
 * @param message text for a value that fails; a function gets the value.
 * @param last true if a failure of this check must prevent the checks after it.
 */
export function rule<T>(
  holds: (value: T) => boolean,
  message: string | ((value: T) => string),
  last = false,
): z.core.$ZodCheck<T> {
  return z.check<T>(({ value, issues }) => {
    if (holds(value)) return;
    const text = typeof message === "string" ? message : message(value);
    issues.push({ code: "custom", input: value, message: text, continue: !last });
  });
}

/**
 * A schema for text that is sent.
 * @param form how JSON Schema describes the text.
 * @param check passed here, because a check that is added later would hide the form.
 * @param message for a value that is not text.
 */
export function textInput(
  form: z.core.JSONSchema.StringSchema,
  check: z.core.$ZodCheck<string>,
  message?: string,
): z.ZodMiniType<string, string> {
  const error = message === undefined ? undefined : () => message;
  const schema = new z.ZodMiniString({ type: "string", checks: [check], error });
  return onTheWire(schema as unknown as z.ZodMiniType<string, string>, form);
}

export type PartialShape<S extends z.core.$ZodShape> = {
  [Name in keyof S]: S[Name] extends z.ZodMiniOptional ? S[Name] : z.ZodMiniOptional<S[Name]>;
};

/**
 * Makes every field of a shape optional, which turns the input of a create into that of an update. The fields keep
 * their comments only if the result is the whole shape, as in `model(() => partial({ … }))`; spreading it into another
 * shape loses them.
 */
export function partial<S extends z.core.$ZodShape>(fields: S): PartialShape<S> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      field instanceof z.ZodMiniOptional ? field : z.optional(field),
    ]),
  ) as PartialShape<S>;
}

export function identifier(): z.ZodMiniType<number, number> {
  return z.int("must be an identifier: a positive whole number").check(z.minimum(1));
}
