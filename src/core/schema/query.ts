import * as z from "zod/mini";
import { model, rule } from "./model.js";
import { fieldsOf, type Schema } from "./traits.js";

interface QueryParts {
  readonly query?: Schema;
  readonly paged?: "cursor+page" | "cursor" | "none";
}

const schemas = /* @__PURE__ */ new WeakMap<QueryParts, Schema>();

/** The schema of an operation's filters and pagination parameters. */
export function querySchema(operation: QueryParts): Schema {
  const found =
    schemas.get(operation) ??
    model(() => ({ ...(fieldsOf(operation.query) as z.core.$ZodShape), ...pageFields(operation.paged) }));
  schemas.set(operation, found);
  return found;
}

// The pagination parameters that a list accepts (service description, rule 8).
function pageFields(paged: QueryParts["paged"]): z.core.$ZodShape {
  if (!paged || paged === "none") return {};
  return {
    cursor: z.optional(z.string().check(rule((text) => text !== "", "must not be empty"))),
    per_page: z.optional(z.int().check(z.minimum(1), z.maximum(100))),
    ...(paged === "cursor+page" && { page: z.optional(z.int().check(z.minimum(1))) }),
  };
}
