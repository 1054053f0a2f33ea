import type { BuiltRequest, Query } from "../call/request.js";
import { CheckpointError } from "../errors.js";
import { filterHash, VERSION } from "./checkpoint.js";
import { filtersOf } from "./position.js";

/**
 * @returns the position to continue from, or null when the list was read to its end.
 * @throws CheckpointError if it was not made for this operation with these filters.
 */
export function readCheckpoint(text: unknown, request: BuiltRequest): Query | null {
  const { id } = request.operation;
  const fail = (problem: string) =>
    new CheckpointError(`${id}: ${problem}. Nothing was sent.`, { operation: id, outcome: "not_sent" });
  const found = parse(text);
  if (!found || typeof found.operation !== "string") throw fail("this is not a checkpoint created by this library");
  if (found.v !== VERSION) {
    throw fail(`the checkpoint has version ${String(found.v)}; this library reads version ${VERSION}`);
  }
  if (found.operation !== id) throw fail(`the checkpoint was created by ${found.operation}`);
  if (found.filters !== filterHash(request)) {
    throw fail("the checkpoint was created with different filters; resume with the same ones");
  }
  if (found.next !== null && !isQuery(found.next)) throw fail("the checkpoint is damaged");
  // Refuses filters: a checkpoint may come back from a browser, where anyone can change it.
  if (found.next && filtersOf(found.next).length > 0) {
    throw fail("the checkpoint has parameters other than cursor, page and per_page; start the list again");
  }
  return found.next;
}

function parse(text: unknown): Partial<Record<"v" | "operation" | "filters" | "next", unknown>> | null {
  if (typeof text !== "string") return null;
  try {
    // JSON other than a checkpoint lacks `operation`, so the caller refuses it.
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isQuery(value: unknown): value is Query {
  return (
    Array.isArray(value) &&
    value.every(
      (pair) =>
        Array.isArray(pair) &&
        pair.length === 2 &&
        pair.every((part) => typeof part === "string" && part.isWellFormed()),
    )
  );
}
