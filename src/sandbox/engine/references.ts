import { danglingIn } from "../data/references.js";
import type { Inquiry } from "./behaviour.js";
import { notFound, unprocessable } from "./refusal.js";

type Known = Pick<Inquiry, "references" | "store">;

/** @throws Refusal 422, with the field, for a body that refers to a record that does not exist. @internal */
export function checkReferences(body: unknown, { references, store }: Known): void {
  const missing = danglingIn(body, references, store);
  if (missing) throw unprocessable(missing.path, "refers to a record that does not exist");
}

/** @throws Refusal 404 for a path below a record that does not exist: `invoices/{invoice_id}/payments`. @internal */
export function checkPath({ params, references, store }: Known & Pick<Inquiry, "params">): void {
  for (const [name, id] of Object.entries(params)) {
    const records = references[name]?.(store);
    if (typeof id === "number" && records && !records.peek(id)) throw notFound();
  }
}
