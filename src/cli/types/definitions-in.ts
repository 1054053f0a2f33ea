import { isPlainObject } from "../../core/json.js";
import type { SchoolDefinitions } from "../../school/definitions.js";

// The JSON that `schoolFile` writes as a template literal.
const DEFINITIONS = /\bdefineSchool\s*\(\s*`(?<text>(?:[^`\\]|\\[\s\S])*)`/;

/**
 * Reads the definitions out of the text of a school's file. The text is not run, and a formatter may have changed what
 * surrounds the definitions.
 * @returns null when the text holds no definitions.
 */
export function definitionsIn(text: string): SchoolDefinitions | null {
  const written = DEFINITIONS.exec(text)?.groups?.text;
  if (written === undefined) return null;
  try {
    const value: unknown = JSON.parse(written.replace(/\\([\s\S])/g, "$1"));
    return isPlainObject(value) ? (value as SchoolDefinitions) : null;
  } catch {
    return null;
  }
}
