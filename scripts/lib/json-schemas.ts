import * as z from "zod";
import {
  fieldsOf,
  isOptional,
  type Schema,
  traitsOf,
  type VariantTraits,
  variantNames,
} from "../../src/core/schema/traits.ts";
import { schemaNames } from "./names.ts";
import type { SchemaSource, SourceIndex } from "./source-index.ts";

/** A JSON Schema in the dialect of OpenAPI 3.0. */
export type JsonSchema = Record<string, unknown>;

interface EnumerationLike {
  readonly values: readonly string[];
  readonly complete: boolean;
  readonly schema: Schema;
  readonly open: Schema;
}

const REF = "#/components/schemas/";
const DECIMAL = /^-?\d+(\.\d+)?$/.source;

/**
 * The exported schemas and enumerations as OpenAPI components, made with zod's JSON Schema export. They describe what
 * is sent and received, not the other formats of input that the client accepts, and contain the docstrings.
 */
export class JsonSchemas {
  readonly #components: Readonly<Record<string, JsonSchema>>;
  readonly #names: ReadonlyMap<Schema, string>;
  readonly #enumerations: ReadonlyMap<Schema, string>;
  readonly #sources: SourceIndex;

  /** @param exported the exports of `src/schemas.ts`. */
  constructor(exported: Readonly<Record<string, unknown>>, sources: SourceIndex) {
    const lists = Object.entries(exported).filter((entry): entry is [string, EnumerationLike] => isList(entry[1]));
    this.#sources = sources;
    this.#names = schemaNames(exported);
    this.#enumerations = new Map(lists.flatMap(([name, { schema, open }]) => [[schema, name] as const, [open, name]]));
    const written = { ...this.#ofModels(), ...ofEnumerations(lists, sources) };
    this.#components = { ...written, ...withNull(written), ...NAMED };
  }

  /** A reference to an exported schema's component. */
  ref(schema: unknown): JsonSchema {
    const name = this.#names.get(schema as Schema);
    if (name === undefined) throw new Error("a body or answer without a schema that src/schemas.ts exports");
    return { $ref: REF + typeName(name) };
  }

  /** The fields of an object schema, each as JSON Schema with its docstring. */
  fields(schema: unknown): { name: string; required: boolean; schema: JsonSchema; description: string }[] {
    const source = this.#sourceOf(schema);
    return Object.entries(fieldsOf(schema as Schema)).map(([name, field]) => {
      const doc = source?.fields.get(name);
      return {
        name,
        required: !isOptional(field),
        schema: { ...this.#convert(field), ...(doc?.deprecated && { deprecated: true }) },
        description: sentences(doc?.text, doc?.deprecated),
      };
    });
  }

  /** Every component, by name. */
  all(): Readonly<Record<string, JsonSchema>> {
    return this.#components;
  }

  /**
   * The components to which a document refers, directly or indirectly. The components of bodies are closed, because the
   * service refuses unknown fields.
   * @param bodies the schemas of the bodies.
   */
  reachable(document: unknown, bodies: readonly unknown[]): Record<string, JsonSchema> {
    const sent = this.#namesIn(bodies.map((body) => this.ref(body)));
    return Object.fromEntries(
      [...this.#namesIn(document)].sort().map((name) => {
        const component = this.#components[name] ?? {};
        const isClosed = sent.has(name) && component.properties !== undefined;
        return [name, isClosed ? { ...component, additionalProperties: false } : component];
      }),
    );
  }

  #namesIn(document: unknown): Set<string> {
    const found = new Set<string>();
    const visit = (node: unknown): void => {
      for (const [, name = ""] of JSON.stringify(node).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
        if (found.has(name)) continue;
        found.add(name);
        visit(this.#components[name]);
      }
    };
    visit(document);
    return found;
  }

  #ofModels(): Record<string, JsonSchema> {
    const registry = z.registry<{ id: string }>();
    for (const [schema, name] of this.#names) registry.add(schema, { id: typeName(name) });
    const { schemas } = z.toJSONSchema(registry, { ...this.#settings(), uri: (id) => REF + id });
    return Object.fromEntries(
      [...this.#names].map(([schema, name]) => {
        const written = withFilled(typeName(name), withoutMarks(schemas[typeName(name)] as JsonSchema));
        return [typeName(name), describe(this.#withNulls(written) as JsonSchema, this.#sourceOf(schema))];
      }),
    );
  }

  #convert(schema: Schema): JsonSchema {
    return this.#withNulls(withoutMarks(z.toJSONSchema(schema, this.#settings()) as JsonSchema)) as JsonSchema;
  }

  // A field that holds a component or null refers to the component that allows null.
  #withNulls(node: unknown): unknown {
    if (Array.isArray(node)) return node.map((inner) => this.#withNulls(inner));
    if (typeof node !== "object" || node === null) return node;
    const { nullable, allOf, ...rest } = node as JsonSchema;
    const [ref] = (allOf ?? []) as { readonly $ref?: string }[];
    if (nullable === true && ref?.$ref !== undefined) {
      const isList = [...this.#enumerations.values()].some((name) => REF + name === ref.$ref);
      // Generators read the field, strict validators the schema it refers to. `nullable` works only beside a type.
      const type = isList ? "string" : "object";
      return { ...rest, type, nullable: true, allOf: [{ $ref: `${ref.$ref}OrNull` }] };
    }
    return Object.fromEntries(Object.entries(node).map(([key, inner]) => [key, this.#withNulls(inner)]));
  }

  #settings(): {
    io: "input";
    target: "openapi-3.0";
    override: (at: { zodSchema: Schema; jsonSchema: JsonSchema }) => void;
  } {
    return {
      io: "input",
      target: "openapi-3.0",
      override: ({ zodSchema, jsonSchema }) => {
        const list = this.#enumerations.get(zodSchema);
        if (list !== undefined) replace(jsonSchema, { $ref: REF + list });
        // A nested reference stays a reference.
        const traits = traitsOf(zodSchema);
        if (traits.kind === "variants" && jsonSchema.$ref === undefined) replace(jsonSchema, this.#forms(traits));
        // The keys of a dictionary are arbitrary.
        if (traits.kind === "record") delete jsonSchema.properties;
        if (jsonSchema.nullable && jsonSchema.anyOf) replace(jsonSchema, withNullInFirst(jsonSchema));
        const named = Object.keys(NAMED).find((name) => same(NAMED[name]?.anyOf, jsonSchema.anyOf));
        if (named !== undefined) replace(jsonSchema, { $ref: REF + named });
        // JavaScript's largest integer is not a limit of the service.
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
        if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
        if (jsonSchema.type === "integer") jsonSchema.format = "int64";
        // The library checks the patterns; some generators for OpenAPI 3.0 cannot read them.
        if (jsonSchema.pattern === DECIMAL) jsonSchema.format = "decimal";
        delete jsonSchema.pattern;
        // Objects are open by default, so the keyword would only repeat the default.
        if (isEmpty(jsonSchema.additionalProperties) && jsonSchema.properties) delete jsonSchema.additionalProperties;
        // A filter also accepts a single value, but the request always carries a list.
        const [one, several] = (jsonSchema.anyOf ?? []) as JsonSchema[];
        if (several?.type === "array" && same(several.items, one)) {
          replace(jsonSchema, several);
        }
        delete jsonSchema.propertyNames;
      },
    };
  }

  // The known variants of a record, which OpenAPI distinguishes by the discriminator.
  #forms(traits: VariantTraits): JsonSchema {
    const refs = traits.options.map((option) => this.#refTo(option));
    const mapping = variantNames(traits).map((name, index) => [name, refs[index]]);
    return {
      oneOf: refs.map(($ref) => ({ $ref })),
      discriminator: { propertyName: traits.discriminator, mapping: Object.fromEntries(mapping) },
    };
  }

  #refTo(schema: Schema): string {
    return REF + typeName(this.#names.get(schema) ?? "");
  }

  #sourceOf(schema: unknown): SchemaSource | undefined {
    return this.#sources.schema(this.#names.get(schema as Schema) ?? "");
  }
}

/** Joins a docstring's text and its deprecation. */
export function sentences(text: string | undefined, deprecated: string | null | undefined): string {
  return [text, deprecated ? `Deprecated: ${deprecated}` : ""].filter(Boolean).join("\n\n");
}

function ofEnumerations(lists: readonly [string, EnumerationLike][], sources: SourceIndex): Record<string, JsonSchema> {
  return Object.fromEntries(
    lists.map(([name, { values, complete }]) => {
      const description = sources.schema(name)?.text;
      // If the list of values is incomplete, a tool must not refuse others from the service.
      const known = complete ? { enum: values } : { "x-extensible-enum": values };
      return [name, { ...(description && { description }), type: "string", ...known }];
    }),
  );
}

// OpenAPI 3.0 allows null only in the schema with the type, not beside a reference to it.
function withNull(components: Record<string, JsonSchema>): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(components).map(([name, schema]) => {
      const values = schema.enum ? { enum: [...(schema.enum as string[]), null] } : {};
      return [`${name}OrNull`, { ...schema, nullable: true, ...values }];
    }),
  );
}

// These components have names, because generators cannot name an inline choice.
const NAMED: Readonly<Record<string, JsonSchema>> = {
  CustomFieldValue: {
    description: "Value of one custom field: text, a number, true or false, a date as text, several texts, or null.",
    anyOf: [
      { type: "string", nullable: true },
      { type: "number" },
      { type: "boolean" },
      { type: "array", items: { type: "string" } },
    ],
  },
  IdentifierOrSlug: {
    description: "Identifier of a record, or its slug: the readable name in its address.",
    anyOf: [
      { type: "integer", minimum: 1, format: "int64" },
      { type: "string", minLength: 1 },
    ],
  },
};

// OpenAPI 3.0 allows null only beside a type, so the first option allows it for all.
function withNullInFirst({ nullable, anyOf, ...rest }: JsonSchema): JsonSchema {
  const [first, ...others] = anyOf as JsonSchema[];
  return { ...rest, anyOf: [{ ...first, nullable }, ...others] };
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function describe(component: JsonSchema, source: SchemaSource | undefined): JsonSchema {
  if (component.oneOf) {
    const { propertyName } = component.discriminator as { propertyName: string };
    return { description: `One of several variants; \`${propertyName}\` selects which.`, ...component };
  }
  const properties = Object.entries((component.properties ?? {}) as Record<string, JsonSchema>).map(([name, field]) => {
    const doc = source?.fields.get(name);
    const description = sentences(doc?.text, doc?.deprecated);
    return [name, { ...(description && { description }), ...field, ...(doc?.deprecated && { deprecated: true }) }];
  });
  return {
    ...(source?.text && { description: source.text }),
    ...component,
    properties: Object.fromEntries(properties),
  };
}

/** The name of a schema's type: `Account` of `accountSchema`. */
export function typeName(exported: string): string {
  const name = exported.replace(/Schema$/, "");
  return name.charAt(0).toUpperCase() + name.slice(1);
}

// Fields that a rule of the schema fills in when a caller leaves them out. The contract test fails if one is missing
// here.
const FILLED: Readonly<Record<string, readonly string[]>> = { GradeCreate: ["grade", "score"] };

// Fields that every request contains are required, even if the client makes them optional.
function withFilled(name: string, written: JsonSchema): JsonSchema {
  const filled = FILLED[name];
  return filled ? { ...written, required: [...filled, ...((written.required ?? []) as string[])] } : written;
}

// Removes zod's own marks: dialect and identifier.
function withoutMarks(schema: JsonSchema): JsonSchema {
  const { $schema: _dialect, $id: _id, id: _name, ...rest } = schema;
  return rest;
}

function replace(target: JsonSchema, content: JsonSchema): void {
  for (const key of Object.keys(target)) delete target[key];
  Object.assign(target, content);
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function isList(value: unknown): value is EnumerationLike {
  return typeof value === "object" && value !== null && "values" in value && "complete" in value;
}
