import type { Api, Operation, Scopes } from "./operation.js";

const RIGHTS: Readonly<Record<string, string>> = { GET: "read", DELETE: "destroy" };

/** The scopes an operation needs in one API; empty when any token will do, undefined when they are not documented. */
export function scopesIn({ scopes, method }: Operation, api: Api): readonly string[] | undefined {
  const own = scopes && isByApi(scopes) ? scopes[api] : scopes;
  return typeof own === "string" ? [`${own}:${RIGHTS[method] ?? "modify"}`] : (own ?? undefined);
}

/** The scopes an operation needs as words: `relations:read`; empty when there are none or they are not documented. */
export function scopesInWords(row: Operation): string {
  const word = row.anyScope ? " or " : " and ";
  return [...new Set(row.apis.map((api) => (scopesIn(row, api) ?? []).join(word)))].filter(Boolean).join(", or ");
}

function isByApi(scopes: Scopes): scopes is Exclude<Scopes, string | readonly string[]> {
  return typeof scopes === "object" && !Array.isArray(scopes);
}
