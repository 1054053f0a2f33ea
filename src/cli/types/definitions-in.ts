import { isPlainObject } from "../../core/json.js";
import type { SchoolDefinitions } from "../../school/definitions.js";

/**
 * Reads the definitions out of the text of a school's file. The text is not run, and a formatter may have changed it: quotes,
 * commas, line ends and comments may differ from what `types` wrote.
 * @returns null when the text holds no definitions.
 */
export function definitionsIn(text: string): SchoolDefinitions | null {
  const call = /\bdefineSchool\s*(?:<\s*School\s*>)?\s*\(/.exec(text);
  if (!call) return null;
  try {
    const value = new Literal(text, call.index + call[0].length).value();
    return isPlainObject(value) ? (value as SchoolDefinitions) : null;
  } catch (error) {
    if (error instanceof NotLiteral) return null;
    throw error;
  }
}

class NotLiteral extends Error {}

const TOKEN = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?<token>[{}[\]:,]|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[\w$]+)/y;

/** Reads a literal of objects, arrays, texts and booleans. */
class Literal {
  readonly #text: string;
  #at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  value(): unknown {
    const token = this.#next();
    if (token === "{") return this.#object();
    if (token === "[") return this.#array();
    if (token === "true" || token === "false") return token === "true";
    return textOf(token);
  }

  #object(): object {
    const object = {};
    for (let token = this.#next(); token !== "}"; token = this.#next()) {
      const key = token === "[" ? this.#computedKey() : /^\w|^\$/.test(token) ? token : textOf(token);
      this.#expect(":");
      Object.defineProperty(object, key, { value: this.value(), enumerable: true, configurable: true, writable: true });
      if (this.#peek() === ",") this.#next();
    }
    return object;
  }

  #array(): unknown[] {
    const items: unknown[] = [];
    while (this.#peek() !== "]") {
      items.push(this.value());
      if (this.#peek() === ",") this.#next();
    }
    this.#next();
    return items;
  }

  #computedKey(): string {
    const key = textOf(this.#next());
    this.#expect("]");
    return key;
  }

  #expect(token: string): void {
    if (this.#next() !== token) throw new NotLiteral();
  }

  #peek(): string {
    const at = this.#at;
    const token = this.#next();
    this.#at = at;
    return token;
  }

  #next(): string {
    for (;;) {
      TOKEN.lastIndex = this.#at;
      const found = TOKEN.exec(this.#text);
      if (!found) throw new NotLiteral();
      this.#at = TOKEN.lastIndex;
      const token = found.groups?.token;
      if (token !== undefined) return token;
    }
  }
}

function textOf(token: string): string {
  const quote = token.charAt(0);
  if (quote !== '"' && quote !== "'") throw new NotLiteral();
  const inner = token.slice(1, -1);
  const json = quote === '"' ? inner : inner.replaceAll("\\'", "'").replace(/(?<!\\)"/g, '\\"');
  try {
    return JSON.parse(`"${json}"`);
  } catch {
    throw new NotLiteral();
  }
}
