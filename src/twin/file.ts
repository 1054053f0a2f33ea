import { isPlainObject } from "../core/json.js";
import type { Twin } from "../sandbox/twin.js";

// From this depth on, a value such as a record or a field is written on one line.
const DEPTH = 3;

/**
 * Formats a twin as the text of its file: names in alphabetical order, one record or field per line. The same twin
 * gives the same text.
 * @example
 * import { formatTwin, takeTwin } from "education-admin-sdk/twin";
 *
 * console.log(formatTwin(await takeTwin(client)).length);
 */
export function formatTwin(twin: Twin): string {
  return `${formatValue(twin, 0)}\n`;
}

function formatValue(value: unknown, depth: number): string {
  const parts = Array.isArray(value)
    ? value.map((item) => formatValue(item, depth + 1))
    : isPlainObject(value)
      ? Object.keys(value)
          .sort()
          .map((name) => `${JSON.stringify(name)}: ${formatValue(value[name], depth + 1)}`)
      : null;
  if (parts === null) return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (depth >= DEPTH || parts.length === 0) return `${open}${parts.join(", ")}${close}`;
  const indent = " ".repeat(depth + 1);
  return `${open}\n${parts.map((part) => `${indent}${part}`).join(",\n")}\n${" ".repeat(depth)}${close}`;
}
