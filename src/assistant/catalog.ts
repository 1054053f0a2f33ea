import type { Client } from "../clients/client.js";
import type { FieldClass } from "../core/field-class.js";
import { apiOf, operationsIn } from "../core/inside-client.js";
import { type Api, type Operation, resourceNameOf, rowNameOf } from "../core/operation.js";
import { didYouMean } from "../core/option-checks.js";
import { fieldsOf, type Schema, traitsOf } from "../core/schema/traits.js";
import { type Field, itemOf, parsePath } from "../work/fields/path.js";
import { classOf, isRecord } from "./classes.js";
import { ToolProblem } from "./problem.js";

export interface KnownResource {
  readonly name: string;
  readonly operations: ReadonlyMap<string, Operation>;
}

export class Catalog {
  readonly api: Api;
  readonly #resources: ReadonlyMap<string, KnownResource>;

  /** @param allowed names of resources; undefined allows all. */
  constructor(client: Client, allowed: readonly string[] | undefined) {
    this.api = apiOf(client);
    const found = new Map<string, Map<string, Operation>>();
    for (const row of operationsIn(client)) {
      const name = resourceNameOf(row.id);
      const rows = found.get(name) ?? new Map<string, Operation>();
      rows.set(rowNameOf(row.id), row);
      found.set(name, rows);
    }
    const unknown = allowed?.find((name) => !found.has(name));
    if (unknown !== undefined)
      throw new ToolProblem(`there is no resource "${unknown}"${didYouMean(unknown, [...found.keys()])}`);
    this.#resources = new Map(
      [...found]
        .filter(([name]) => allowed === undefined || allowed.includes(name))
        .map(([name, operations]) => [name, { name, operations }]),
    );
  }

  get names(): readonly string[] {
    return [...this.#resources.keys()];
  }

  /** @throws ToolProblem naming the nearest resource. */
  resource(name: string): KnownResource {
    const found = this.find(name);
    if (!found) throw this.#unknownResource(name);
    return found;
  }

  find(name: string): KnownResource | null {
    return this.#resources.get(name) ?? this.#resources.get(camel(name)) ?? null;
  }

  /**
   * Finds the GET operation for a read. `invoices` means its `list`, or with an id its `get`;
   * `meetings.listForPlannedCourse` names another operation.
   * @throws ToolProblem if there is none.
   */
  reading(from: string, hasId: boolean): { readonly resource: KnownResource; readonly operation: Operation } {
    const whole = this.find(from);
    if (!whole) {
      const at = from.lastIndexOf(".");
      const resource = at > 0 ? this.find(from.slice(0, at)) : null;
      if (!resource) throw this.#unknownResource(from);
      const operation = resource.operations.get(from.slice(at + 1));
      if (operation?.method === "GET") return { resource, operation };
      const reads = [...resource.operations.values()].filter(({ method }) => method === "GET").map(({ id }) => id);
      throw new ToolProblem(
        operation
          ? `${operation.id} writes; these tools only read`
          : `there is no "${from.slice(0, 60)}"; use ${reads.join(", ") || "another resource"}`,
      );
    }
    const reads = [...whole.operations.values()].filter(({ method, response }) => method === "GET" && response);
    const operation = hasId
      ? (whole.operations.get("get") ?? reads.find(({ paged, array, path }) => !paged && !array && path.endsWith("}")))
      : (reads.find(({ id }) => id.endsWith(".list")) ?? reads.find(({ paged }) => paged));
    if (operation?.response && operation.method === "GET") return { resource: whole, operation };
    const others = reads.map(({ id }) => id).join(", ");
    throw new ToolProblem(
      `${whole.name} has no ${hasId ? "operation that reads by id" : "list"}; ${others ? `use ${others}` : "the service has no such operation"}`,
    );
  }

  #unknownResource(name: string): ToolProblem {
    return new ToolProblem(
      `there is no resource ${unknownName(name, this.names, ";")} call describe without input to list them all`,
    );
  }
}

export function recordOf({ response, id }: Operation): Schema {
  if (!response) throw new ToolProblem(`${id} returns no record`);
  return itemOf(response);
}

function formsOf(schema: Schema): readonly Schema[] {
  const traits = traitsOf(schema);
  return traits.kind === "variants" ? traits.options.flatMap(formsOf) : [schema];
}

/** Field names of a record; of all its variants if it has any. */
export function fieldNames(schema: Schema): string[] {
  return [...new Set(formsOf(schema).flatMap((form) => Object.keys(fieldsOf(form))))];
}

/** Schema of a field; if the record has variants, from the first variant with the field. */
export function fieldSchema(schema: Schema, name: string): Schema | undefined {
  const form = formsOf(schema).find((one) => Object.hasOwn(fieldsOf(one), name));
  return form && fieldsOf(form)[name];
}

/** The schema of the record, or of the records, in a field; null if the field contains other values. */
export function recordIn(schema: Schema, name: string): Schema | null {
  const inner = fieldSchema(schema, name);
  const item = inner && itemOf(inner);
  return item && isRecord(item) ? item : null;
}

/** The class of a field; if the record has variants, from the first variant that classifies the field. */
export function classIn(schema: Schema, field: string): FieldClass | null {
  return formsOf(schema).reduce<FieldClass | null>((found, form) => found ?? classOf(form, field), null);
}

/** Finds the field at a path. @throws ToolProblem naming the nearest field. */
export function fieldAt(schema: Schema, path: string): Field {
  const found = parsePath(path, schema);
  if ("problem" in found) throw new ToolProblem(`"${path.slice(0, 60)}" ${found.problem}`);
  return found.field;
}

// Models also write `planned-courses`, `planned_courses` and `PlannedCourses`.
function camel(name: string): string {
  const joined = name.replace(/[-_ ](\w)/g, (_, letter: string) => letter.toUpperCase());
  return joined.slice(0, 1).toLowerCase() + joined.slice(1);
}

export function unknownName(name: string, known: readonly string[], orElse = ""): string {
  const short = name.slice(0, 60);
  return `"${short}"${didYouMean(short, known) || orElse}`;
}
