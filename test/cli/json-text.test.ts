import { expect, test } from "vitest";
import { jsonText } from "../../src/cli/terminal.js";

test.each([0x7f, 0x9b, 0x200b, 0x202e, 0x2066, 0xfeff])("U+%i is escaped in JSON, and parsing restores it", (code) => {
  const value = { text: `a${String.fromCharCode(code)}b` };
  const text = jsonText(value);
  expect(text).not.toContain(String.fromCharCode(code));
  expect(JSON.parse(text)).toEqual(value);
});

test.each([0x7e, 0xa0, 0xe9, 0x200a, 0x2010, 0x202f])("U+%i is not escaped", (code) => {
  expect(jsonText([String.fromCharCode(code)])).toContain(String.fromCharCode(code));
});
