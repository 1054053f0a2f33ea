import type { FetchLike } from "../../../src/core/options.js";
import { type Schema, traitsOf, unwrap, variantNames } from "../../../src/core/schema/traits.js";
import { allOperations } from "../../../src/operations.js";
import * as schemas from "../../../src/schemas.js";

const NAMES = new Map<unknown, string>(Object.entries(schemas).map(([name, schema]) => [schema, name]));

/** The text of a field, which names the field and the schema of its record. */
function canary(schema: string, field: string): string {
  return `<<${schema}.${field}>>`;
}

/**
 * A service that responds to every GET with records whose text fields all contain canaries. It records its requests.
 */
export function canaryService(
  api: "main" | "admin" = "main",
  form = 0,
): { readonly fetch: FetchLike; readonly requests: string[] } {
  const requests: string[] = [];
  const fetch: FetchLike = async (url, { method }) => {
    const { pathname } = new URL(url);
    requests.push(`${method} ${pathname}`);
    const row = allOperations.find((each) => {
      const own = pathname.includes("/api/organization/") ? "organization" : api;
      return each.method === method && each.apis.includes(own) && matches(each.path, pathname);
    });
    if (!row?.response) return json({ error: "not_found" }, 404);
    const record = recordOf(row.response, form);
    return json(row.paged || row.array ? [record] : record, 200, row.paged ? { total: "1" } : {});
  };
  return { fetch, requests };
}

function matches(path: string, pathname: string): boolean {
  const pattern = path.replace(/\{\w+\}/g, "[^/]+");
  return new RegExp(`/api/(v1|organization)/${pattern}$`).test(pathname);
}

/** A record of a schema, with canaries as its texts. */
export function recordOf(schema: Schema, form = 0): unknown {
  return textsIn(schema, "", "", form, 0);
}

function textsIn(schema: Schema, owner: string, field: string, form: number, depth: number): unknown {
  const inner = unwrap(schema);
  const traits = traitsOf(inner);
  const text = canary(owner, field);
  switch (traits.kind) {
    case "object": {
      const own = NAMES.get(inner) ?? owner;
      const entries = Object.entries(traits.fields).map(([name, each]) => [
        name,
        textsIn(each, own, name, form, depth + 1),
      ]);
      return { ...Object.fromEntries(entries), invented_by_the_service: canary(own, "invented") };
    }
    case "variants": {
      const option = traits.options[form % traits.options.length] as Schema;
      const [kind] = variantNames({ discriminator: traits.discriminator, options: [option] });
      const record = textsIn(option, owner, field, form, depth) as object;
      return { ...record, [traits.discriminator]: kind };
    }
    case "array":
      return [textsIn(traits.item, owner, field, form, depth)];
    case "record":
      return { slug: text, "a.b": { deep: text } };
    case "number":
      return 1;
    case "boolean":
      return true;
    case "enumeration":
      return traits.values[0];
    default:
      return text;
  }
}

function json(body: unknown, status: number, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });
}
