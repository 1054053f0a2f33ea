import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { REDACTED, redact } from "../../src/core/redact.js";
import { redactCause, redactStart } from "../../src/core/redact-cause.js";

const NAME = 'Zoë "Ada" O\'Brien & sons';

describe("a text", () => {
  it.each<[what: string, value: string, written: string]>([
    ["as it was sent", NAME, NAME],
    ["in a URL", NAME, encodeURIComponent(NAME)],
    ["in a form, with a plus for each space", NAME, encodeURIComponent(NAME).replaceAll("%20", "+")],
    ["in the query of a URL object", NAME, new URLSearchParams({ q: NAME }).toString().slice(2).replaceAll("+", "%20")],
    ["where a URL object escapes what encodeURIComponent leaves", "(a)*!'b'", "%28a%29%2A%21%27b%27"],
    ["in JSON", NAME, JSON.stringify(NAME).slice(1, -1)],
    ["in JSON within JSON", NAME, JSON.stringify(JSON.stringify(NAME)).slice(3, -3)],
    ["in JSON of letters that all have", NAME, 'Zo\\u00EB \\"Ada\\" O\'Brien & sons'],
    ["in JSON that fits into HTML", NAME, 'Zo\\u00eb \\"Ada\\" O\\u0027Brien \\u0026 sons'],
    ["in HTML", NAME, "Zoë &quot;Ada&quot; O&#39;Brien &amp; sons"],
    ["in HTML of letters that all have", NAME, "Zo&#235; &quot;Ada&quot; O&#x27;Brien &amp; sons"],
    ["in HTML with a name for the quote", "<b> O'Neill 😀", "&lt;b&gt; O&apos;Neill &#x1f600;"],
    ["in SQL", "O'Brien", "O''Brien"],
    ["in a string of a program", "O'Brien", "O\\'Brien"],
    ["of letters that all are written as numbers", "東京", "&#26481;&#20140;"],
    ["of several lines in JSON", "one\ntwo", "one\\ntwo"],
    ["with half a character", "\ud800abcd", "\ud800abcd"],
    ["with half a character in a URL", "\ud800abcd", "%EF%BF%BDabcd"],
    ["that looks like a pattern", "$& .* [a-z]", "$& .* [a-z]"],
    ["in small letters", NAME, NAME.toLowerCase()],
    ["in capital letters", "X-Key Ab/+c=-{1}", "X-KEY AB/+C=-{1}"],
    ["whose last letter has a form of its own", "Γιώργος", "ΓΙΏΡΓΟΣ"],
  ])("loses a value %s wherever it occurs", (_, value, written) => {
    const clean = `before ${REDACTED} between ${REDACTED}, after`;
    expect(redact(`before ${written} between ${written}, after`, [value])).toBe(clean);
    expect(redactStart(`before ${written} between ${written}, after`, [value], 1_000)).toBe(clean);
  });

  it.each<[what: string, value: string, written: string]>([
    ["in capital letters", "Zoë Lovelace", "ZOË LOVELACE"],
    ["in a URL with small letters", "Zoë Lovelace", "zo%c3%ab%20Lovelace"],
    ["whose small letters are longer", "İpek İnan", "İPEK İNAN"],
    ["composed", "Jose\u0301 Garc\u00eda", "Jos\u00e9 Garc\u00eda"],
    ["decomposed", "Jos\u00e9 Garc\u00eda", "Jose\u0301 Garci\u0301a"],
    ["decomposed, in capital letters", "Jos\u00e9 Garc\u00eda", "JOSE\u0301 GARCI\u0301A"],
    ["with its white space joined", "Ada  Love\u00a0\r\nlace", "Ada Love lace"],
  ])("of an error loses a value %s", (_, value, written) => {
    expect(redactStart(`before ${written}, after`, [value], 1_000)).toBe(`before ${REDACTED}, after`);
  });

  it("is cut correctly after letters whose lower case is longer", () => {
    const text = "İİİ by LOVELACE and Lovelace, İİİ";
    expect(redactStart(text, ["Lovelace"], 99)).toBe(`İİİ by ${REDACTED} and ${REDACTED}, İİİ`);
    expect(redactStart(text, ["Lovelace"], 12)).toBe(`İİİ by ${REDACTED}`);
  });

  it("keeps everything else", () => {
    expect(redact("Ada is here", ["Adam", "there"])).toBe("Ada is here");
    expect(redact("", ["Adam"])).toBe("");
    expect(redact("Ada", [])).toBe("Ada");
  });

  it("loses all of a value that contains another value", () => {
    for (const values of [
      ["Lovelace", "Ada Lovelace"],
      ["Ada Lovelace", "Lovelace"],
      ["Ada ", "Ada Lovelace"],
    ]) {
      expect(redact("by Ada Lovelace", values)).toBe(`by ${REDACTED}`);
      expect(redactStart("by Ada Lovelace", values, 100)).toBe(`by ${REDACTED}`);
    }
  });
});

describe("the start of a text", () => {
  it.each<[text: string, length: number, start: string]>([
    ["0123456789", 4, "0123"],
    ["0123456789", 10, "0123456789"],
    ["0123456789", 99, "0123456789"],
    ["0123456789", 0, ""],
    ["", 4, ""],
    // A sensitive value that begins within the kept text is redacted as a whole, even if the kept text ends within the
    // value.
    ["by Lovelace, 1843", 3, "by "],
    ["by Lovelace, 1843", 4, `by ${REDACTED}`],
    ["by Lovelace, 1843", 10, `by ${REDACTED}`],
    ["by Lovelace, 1843", 11, `by ${REDACTED}`],
    ["by Lovelace, 1843", 13, `by ${REDACTED}, `],
    ["Lovelace", 1, REDACTED],
    ["LovelaceLovelace", 16, `${REDACTED}${REDACTED}`],
    ["LovelaceLovelace", 8, REDACTED],
    ["Byron, Lovelace, Byron", 22, `${REDACTED}, ${REDACTED}, ${REDACTED}`],
    ["Lovelac", 20, "Lovelac"],
  ])("of %j, %i characters, is %j", (text, length, start) => {
    expect(redactStart(text, ["Lovelace", "Byron"], length)).toBe(start);
  });

  it("is redacted from the first value, even if a longer one follows", () => {
    expect(redactStart("x Byron y Lovelace z", ["Lovelace", "Byron"], 100)).toBe(`x ${REDACTED} y ${REDACTED} z`);
    expect(redactStart("ByronLovelace", ["ronLovelace", "Byron"], 100)).toBe(`${REDACTED}Lovelace`);
  });

  it("keeps surrogate pairs whole", () => {
    expect(redactStart("😀 Lovelace 😀", ["Lovelace"], 100)).toBe(`😀 ${REDACTED} 😀`);
  });
});

const SECRETS = ["Lovelace"];
const error = (message: string, fields: object = {}) => Object.assign(new Error(message), fields);

describe("a cause", () => {
  it("stays absent if it is absent", () => {
    expect(redactCause(undefined, SECRETS)).toBeUndefined();
  });

  it.each<[what: string, cause: unknown]>([
    ["null", null],
    ["a text", "no such person: Lovelace"],
    ["a number", 7],
    ["an object", { name: "Lovelace" }],
    ["an object with a message", { message: "for Lovelace", code: "E" }],
    ["a function", () => "Lovelace"],
    ["a symbol", Symbol("Lovelace")],
    ["a buffer", Buffer.from("Lovelace")],
    ["a map", new Map()],
    ["an instance of a class that is no error", new URL("https://school.example")],
  ])("that is not an error becomes an error without details: %s", (_, cause) => {
    const copy = redactCause(cause, SECRETS) as Error;
    expect(copy).toBeInstanceOf(Error);
    expect(copy.message).toBe(REDACTED);
    expect(Object.keys(copy)).toEqual([]);
    expect(copy.cause).toBeUndefined();
  });

  it.each<[what: string, fields: object]>([
    ["in a property", { body: "for Lovelace" }],
    ["deep inside", { config: { list: [{ name: "Lovelace" }] } }],
    ["as the name of a property", { Lovelace: 1 }],
    ["under a symbol", { [Symbol("Lovelace")]: "Lovelace" }],
    ["nowhere", { config: { list: [1, 2] } }],
  ])("is copied without its properties, whether it contains a value or not: %s", (_, fields) => {
    const cause = error("request failed", { ...fields, code: "ECONNRESET" });
    const copy = redactCause(cause, SECRETS) as Error & { code?: unknown };
    expect(copy).not.toBe(cause);
    expect(Reflect.ownKeys(copy).sort()).toEqual(["code", "message", "name", "stack"]);
    expect([copy.name, copy.message, copy.code]).toEqual(["Error", "ECONNRESET", "ECONNRESET"]);
  });

  it("keeps its stack, and nothing of its message", () => {
    const cause = new Error("Love&shy;lace\n    at Love&shy;lace (file.js:1:1)\nmore");
    const copy = redactCause(cause, SECRETS) as Error;
    expect(copy.stack).toContain("redact.test.ts");
    expect(copy.stack).not.toContain("shy");
    cause.stack = 7 as never;
    expect((redactCause(cause, SECRETS) as Error).stack).toBe(`Error: ${REDACTED}`);
  });

  it("keeps the name, the code and the causes of an error, each redacted", () => {
    const inner = error("for Lovelace", { name: "InnerError" });
    const cause = Object.assign(new TypeError("Lovelace failed", { cause: inner }), { code: "E_Lovelace" });
    const copy = redactCause(cause, SECRETS) as Error & { code?: unknown };
    expect([copy.name, copy.message, copy.code]).toEqual(["TypeError", `E_${REDACTED}`, `E_${REDACTED}`]);
    expect(Object.keys(copy)).toEqual(["code"]);
    expect(copy.cause).toBeInstanceOf(Error);
    expect(copy.cause).toMatchObject({ name: "InnerError", message: REDACTED });
    expect(copy.cause).not.toHaveProperty("code");
  });

  it("keeps four causes of a chain", () => {
    let cause: Error | undefined;
    for (let level = 0; level < 10; level++) cause = new Error("for Lovelace", { cause });
    let copies = 0;
    for (let copy = redactCause(cause, SECRETS); copy instanceof Error; copy = copy.cause) copies++;
    expect(copies).toBe(5);
  });

  it("drops a cause that is not an error", () => {
    const copy = redactCause(new Error("Lovelace", { cause: { name: "Lovelace" } }), SECRETS) as Error;
    expect(copy).not.toHaveProperty("cause");
  });

  it("is empty if message, name and code are not text or cannot be read", () => {
    const odd = Object.defineProperties(error("x", { body: "Lovelace", code: 7, name: 8 }), {
      message: {
        get: () => {
          throw new Error("Lovelace");
        },
      },
    });
    const copy = redactCause(odd, SECRETS) as Error;
    expect([copy.name, copy.message, "code" in copy]).toEqual(["Error", REDACTED, false]);
  });

  it("is copied if an error of another realm contains the value", () => {
    const copy = redactCause(runInNewContext("new RangeError('for Lovelace')"), SECRETS) as Error;
    expect(copy).toBeInstanceOf(Error);
    expect([copy.name, copy.message]).toEqual(["RangeError", REDACTED]);
  });
});
