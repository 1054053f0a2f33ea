import type { Inquiry } from "./behaviour.js";
import { unprocessable } from "./refusal.js";

/** @throws Refusal 422, with the field, for a body that refers to a record that does not exist. @internal */
export function checkReferences(value: unknown, inquiry: Pick<Inquiry, "references" | "store">, path = ""): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, field] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`;
    const target = inquiry.references[name]?.(inquiry.store);
    const ids = (Array.isArray(field) ? field : [field]).filter((id): id is number => typeof id === "number");
    for (const id of target ? ids : []) {
      if (!target?.get(id)) throw unprocessable(at, "refers to a record that does not exist");
    }
    checkReferences(field, inquiry, at);
  }
}
