import { resourceNameOf } from "../core/operation.js";
import type { Schema } from "../core/schema/model.js";
import { fieldsOf, traitsOf } from "../core/schema/traits.js";
import type { FactoryTypes } from "../generated/factory-types.js";
import { allOperations } from "../operations.js";
import * as schemas from "../schemas.js";
import type { Records } from "./data/collection.js";
import type { Days } from "./data/days.js";
import type { Given } from "./data/given.js";
import { hashText, mix, Random } from "./data/random.js";
import type { Store } from "./data/store.js";
import { recordsOf } from "./domains.js";
import type { AnyRecord } from "./engine/behavior.js";
import { sample } from "./sample.js";

/** @internal */
export function createFactories(store: Store, seed: number, days: Days) {
  let counts: Record<string, number> = {};
  const factoryOf = (name: string, schema: Schema): Factory<Record<string, unknown>> => {
    // Records of a collection are made like its seeded records. Other records are made from their schema alone, and so
    // are records whose id is text, because the ids in the store are numbers.
    const shape = fieldsOf(schema);
    const hasTextId = shape.id !== undefined && traitsOf(shape.id).kind === "text";
    const records = !hasTextId ? recordsLike(name, schema, store) : undefined;
    return (fields = {}) => {
      const number = counts[name] ?? 0;
      counts[name] = number + 1;
      if (!records) {
        const drawn = sample(schema, new Random(mix(hashText(`${name} ${number}`), seed)), days);
        return { ...(drawn as object), ...(hasTextId && { id: `${name}-${number + 1}` }), ...fields };
      }
      const { id = records.draft().id + number } = fields as { id?: number };
      // Drop the draft's additional fields, which only other schemas of the record have.
      return Object.fromEntries(Object.entries(records.draft({ ...fields, id })).filter(([field]) => field in shape));
    };
  };
  // Each factory is created on first use: a test uses only a few of several hundred.
  const factories = new Proxy<Record<string, Factory<Record<string, unknown>>>>(
    {},
    {
      get: (made, name) => {
        const schema = schemasByName().get(String(name));
        if (schema) made[String(name)] ??= factoryOf(String(name), schema);
        return made[String(name)];
      },
      has: (_, name) => schemasByName().has(String(name)),
      ownKeys: () => [...schemasByName().keys()],
      getOwnPropertyDescriptor: (_, name) =>
        schemasByName().has(String(name)) ? { enumerable: true, configurable: true, writable: true } : undefined,
    },
  );
  return {
    make: factories as unknown as Factories,
    reset: () => {
      counts = {};
    },
    state: (): Readonly<Record<string, number>> => ({ ...counts }),
    restore: (state: Readonly<Record<string, number>>) => {
      counts = { ...state };
    },
  };
}

// The stored records with this name; otherwise the records that an operation returns with this schema, if they have all
// its fields.
function recordsLike(name: string, schema: Schema, store: Store): Records<AnyRecord> | undefined {
  const fields = Object.keys(fieldsOf(schema));
  const returned = allOperations
    .filter(({ response }) => response === schema)
    .map(({ id }) => recordsOf(resourceNameOf(id), store))
    .filter((records) => records !== undefined);
  const has = (record: AnyRecord) => fields.length > 0 && fields.every((field) => field in record);
  return recordsOf(`${name}s`, store) ?? returned.find((records) => has(records.draft()));
}

let named: ReadonlyMap<string, Schema> | undefined;

function schemasByName(): ReadonlyMap<string, Schema> {
  named ??= new Map(
    Object.entries(schemas).flatMap(([exported, schema]) => {
      const name = /^(\w+)(?<!Query|Path)Schema$/.exec(exported)?.[1];
      return name === undefined ? [] : [[name, schema as Schema] as const];
    }),
  );
  return named;
}

/**
 * Makes a record or body with the given fields and fills in all other fields. Each record gets a new identifier;
 * nothing is stored.
 */
export type Factory<T> = (fields?: Given<T>) => T;

/** A factory for every record and body, under the name of its type. */
export type Factories = { readonly [Name in keyof FactoryTypes]: Factory<FactoryTypes[Name]> };
