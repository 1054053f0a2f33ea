import * as z from "zod/mini";

/**
 * The three ways to write a shape: {@link model} for a record or an input, {@link ref} for a named model inside
 * another one, {@link enumeration} for a fixed list of values. Everything is zod/mini: no code is generated, so a
 * strict Content-Security-Policy is met without touching the host's zod configuration.
 */

/** A zod schema of any kind, as the core handles it. */
export type Schema<Output = unknown, Input = Output> = z.core.$ZodType<Output, Input>;

/**
 * Declares a record or an input. Loose at run time, so fields the service adds stay; closed in the type, because an
 * index signature would turn every typo into `unknown` instead of an error. The written shape stays the type's shape,
 * which is what keeps the comments of its fields in hovers. The shape is a function, so that nothing is built before
 * it is needed and an unused model falls away in every bundler.
 * @param checks rules that span several fields; they look at what the fields' own schemas have let pass.
 */
export function model<S extends z.core.$ZodShape>(
  shape: () => S,
  ...checks: z.core.CheckFn<z.core.output<z.ZodMiniObject<S, z.core.$strip>>>[]
): z.ZodMiniObject<S, z.core.$strip> {
  return lazyObject(shape, z.unknown, checks as z.core.CheckFn<unknown>[]) as z.ZodMiniObject<S, z.core.$strip>;
}

/**
 * Declares a record whose fields the service description does not show: what is listed is known from public sources,
 * everything else passes through and stays reachable as `unknown`.
 */
export function openModel<S extends z.core.$ZodShape>(shape: () => S): z.ZodMiniObject<S, z.core.$loose> {
  // any, where model() has unknown: the difference tells strictTwin to keep it open.
  return lazyObject(shape, z.any) as z.ZodMiniObject<S, z.core.$loose>;
}

function lazyObject(
  shape: () => z.core.$ZodShape,
  rest: () => z.core.$ZodType,
  checks: z.core.CheckFn<unknown>[] = [],
): z.ZodMiniObject {
  let built: z.core.$ZodShape | undefined;
  return new z.ZodMiniObject({
    type: "object",
    get shape() {
      built ??= shape();
      return built;
    },
    catchall: rest(),
    // Given here, because adding them with check() would copy the definition and build the shape at once.
    ...(checks.length > 0 && { checks: checks.map((check) => z.check(check)) }),
  } as z.core.$ZodObjectDef);
}

/** Names a model inside another one: the type shows `Address`, not its fields written out. */
export function ref<T>(schema: z.core.$ZodType<unknown, T>): z.ZodMiniType<T, T> {
  return schema as unknown as z.ZodMiniType<T, T>;
}

/**
 * Says how a schema is written in JSON Schema where zod cannot tell by itself: what is sent where a `Date` or a cast
 * value is taken too, and the format of text that is not checked when read. What `z.toJSONSchema` then writes is what
 * the wire carries.
 * @param schema one without checks added afterwards: zod looks for the form of what they were added to.
 */
export function onTheWire<S extends z.core.$ZodType>(schema: S, form: z.core.JSONSchema.StringSchema): S {
  schema._zod.toJSONSchema = () => ({ ...form });
  return schema;
}

/** A value out of a list that may grow: known values complete in an editor, any other string is allowed. */
export type Open<T extends string> = T | (string & {});

/**
 * A value sent although it is not on the enumeration's list; see {@link Enumeration.cast}.
 * @internal
 */
export class CastValue {
  readonly #value: string;
  constructor(value: string) {
    this.#value = value;
  }
  toString(): string {
    return this.#value;
  }
  toJSON(): string {
    return this.#value;
  }
}

/** One of the service's enumerations: its values and the schemas for reading and sending them. */
export interface Enumeration<T extends string> {
  /** The known values, in the order of the service description. */
  readonly values: readonly T[];
  /** False where the service description shows only some of the values. */
  readonly complete: boolean;
  /** Schema for sending: only the known values and those made by `cast` pass. */
  readonly schema: z.ZodMiniType<T, T>;
  /** Schema for reading: any string passes, known values complete in an editor. */
  readonly open: z.ZodMiniType<Open<T>, Open<T>>;
  /** Tells whether a value is one of the known ones. */
  is(value: unknown): value is T;
  /** Lets a value that is not on the list be sent, for spellings the service knows and this version does not. */
  cast(value: string): T;
}

/**
 * Declares an enumeration. Closed when sent, open when read.
 * @param options.complete false where the service description shows only some values: an unknown one is then
 * reported, but no reason for strict validation to fail.
 */
export function enumeration<const V extends readonly [string, ...string[]]>(
  values: V,
  options: { complete?: boolean } = {},
): Enumeration<V[number]> {
  type T = V[number];
  const complete = options.complete ?? true;
  let closed: z.ZodMiniType<T, T> | undefined;
  let open: z.ZodMiniType<Open<T>, Open<T>> | undefined;
  return {
    values,
    complete,
    get schema() {
      closed ??= closedEnumSchema(values) as unknown as z.ZodMiniType<T, T>;
      return closed;
    },
    get open() {
      open ??= openEnumSchema(values, complete) as z.ZodMiniType<Open<T>, Open<T>>;
      return open;
    },
    is: (value): value is T => (values as readonly unknown[]).includes(value),
    cast: (value) => new CastValue(value) as unknown as T,
  };
}

function closedEnumSchema(values: readonly [string, ...string[]]): z.ZodMiniUnion {
  return onTheWire(z.union([z.enum(values), z.instanceof(CastValue)]), { type: "string", enum: [...values] });
}

/** What is said of an unknown value where the service description shows only some of the values. */
export const NOT_SHOWN = "is not one of the values the service description shows";

// The order of the two options is what tells a complete list from an incomplete one; strictTwin reads it.
function openEnumSchema(values: readonly [string, ...string[]], complete: boolean): z.ZodMiniType<string, string> {
  return complete ? z.union([z.enum(values), z.string()]) : z.union([z.string(), z.enum(values, NOT_SHOWN)]);
}

/** A shape in which every field may be left out. */
export type PartialShape<S extends z.core.$ZodShape> = {
  [Name in keyof S]: S[Name] extends z.ZodMiniOptional ? S[Name] : z.ZodMiniOptional<S[Name]>;
};

/**
 * Makes every field of a shape optional: the input of an update from that of a create. Fields keep their comments only
 * while the result is the whole shape, `model(() => partial({ … }))`; spread into another shape, it loses them.
 */
export function partial<S extends z.core.$ZodShape>(fields: S): PartialShape<S> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      field instanceof z.ZodMiniOptional ? field : z.optional(field),
    ]),
  ) as PartialShape<S>;
}
