import type { RequestOptions } from "../core/options.js";

type BodyIn<Args> = Args extends [infer Body extends object, (RequestOptions | undefined)?]
  ? Body
  : Args extends [unknown, infer Body extends object, (RequestOptions | undefined)?]
    ? Body
    : never;

type MethodBody<R, Method extends string> = R extends { readonly [Name in Method]: (...args: infer Args) => unknown }
  ? BodyIn<Args>
  : never;

type Body<R> = MethodBody<R, "create"> | MethodBody<R, "update"> | MethodBody<R, "createForPlannedCourse">;

// In an update's input type, the record's read-only fields are `never`, so they are left out.
type FieldsOf<B> = B extends unknown
  ? {
      [Name in keyof B & string]: [NonNullable<B[Name]>] extends [never]
        ? never
        : NonNullable<B[Name]> extends string | number | boolean | Date | readonly unknown[]
          ? Name
          : NonNullable<B[Name]> extends object
            ? `${Name}.${keyof NonNullable<B[Name]> & string}`
            : Name;
    }[keyof B & string]
  : never;

/** Path of a value in a create or an update: `email`, `address_attributes.city`, `custom.sector`. */
export type Path<R> = FieldsOf<Body<R>>;

/** The records that a resource lists. */
export type RecordOf<R> = R extends { readonly list: (...args: never) => AsyncIterable<infer T> } ? T : never;

// The known values of an enumeration; none for free text.
type Values<T> = T extends string ? (string extends T ? never : T) : never;
type KindsIn<T> = T extends unknown
  ? { [Name in keyof T & string]: [Values<T[Name]>] extends [never] ? never : Name }[keyof T & string]
  : never;

/** A field that tells kinds of records apart but cannot be sent, such as `account_type`. */
type Kind<R> = Exclude<KindsIn<RecordOf<R>>, Path<R>>;

/** A field that identifies the records of a resource; `id` for rows that only update records. */
export type Key<R> = Path<R> | Kind<R> | "id";

/** A field that holds the identifiers of one or more other records. */
export type Reference<R> = Extract<Path<R>, `${string}_id` | `${string}_ids`>;

/** The actions of a resource, such as `approve`. */
export type Action<R> = Exclude<keyof R & string, `get${string}` | `list${string}` | "create" | "update" | "lookup">;
