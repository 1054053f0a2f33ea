import type { FactoryTypes } from "../generated/factory-types.js";
import type { Given } from "./data/given.js";

/**
 * Makes a record or a body that its schema accepts, with the given fields. Each record gets a new identifier; nothing is
 * stored.
 */
export type Factory<T> = (fields?: Given<T>) => T;

/** A factory for every record and every body, with the name of its type. */
export type Factories = { readonly [Name in keyof FactoryTypes]: Factory<FactoryTypes[Name]> };
