import { inputError } from "../core/call/request.js";
import { nearestName } from "../core/nearest-name.js";
import { didYouMean } from "../core/option-checks.js";
import { namesOf, pathsOf } from "./fields.js";
import { anyField, kindField, type Target } from "./target.js";

interface Columns {
  readonly target: Target;
  readonly keys: readonly string[];
  readonly words: { readonly caller?: string; column(field: string, column: string): string };
}

/** Explains why a path is not a field of the resource; null if it is one. */
export function whyNoField(target: Target, path: string, keys: readonly string[]): string | null {
  if (path === "id" || anyField(target, path) || (keys.includes(path) && kindField(target, path))) return null;
  return `is not a field of ${target.name}${didYouMean(path, similarNames(path, fieldNames(target)))}`;
}

/** The error for a column that is not named like a field; otherwise null. Used only without the option `columns`. */
export function noColumn({ target, words, keys }: Columns, column: string, where: string): Error | null {
  const problem = whyNoField(target, column, keys);
  if (problem === null) return null;
  const nearest = nearestName(column, similarNames(column, fieldNames(target)));
  const advice = nearest
    ? ` To read that field from this column, ${words.column(nearest, column)}, along with every other column to read`
    : "";
  return inputError(words.caller ?? "plan", [
    { path: "", message: `${where} ${JSON.stringify(column)} ${problem}${advice}` },
  ]);
}

// Leaves out names that are similar only by chance: "conditions" is close to "position" but means something else.
function similarNames(name: string, known: readonly string[]): string[] {
  const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\d]/gu, "");
  const sortLetters = (text: string) => [...text].sort().join();
  const wanted = plain(name);
  return known.filter((other) => {
    const text = plain(other);
    return (
      text.includes(wanted) ||
      wanted.includes(text) ||
      text.slice(0, 2) === wanted.slice(0, 2) ||
      sortLetters(text) === sortLetters(wanted)
    );
  });
}

/** The paths of the fields that can be sent to the service. */
export function fieldNames({ rows }: Target): string[] {
  return [...pathsOf(rows.create?.body), ...pathsOf(rows.update?.body)];
}

export function customSlugs(paths: readonly string[]): string[] {
  return [...new Set(paths)].flatMap((path) => {
    const [top, slug] = namesOf(path);
    return top === "custom" && slug !== undefined ? slug : [];
  });
}
