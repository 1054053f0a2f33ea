import fc from "fast-check";

const CODE_POINTS = [
  { min: 0, max: 0x7f },
  { min: 0x80, max: 0xd7ff },
  { min: 0xe000, max: 0xffff },
  { min: 0x1_0000, max: 0x10_ffff },
];

/** Text of any code points. fast-check's unit "binary" lists all code points first, which takes seconds. */
export const anyText: fc.Arbitrary<string> = fc.string({
  unit: fc.oneof(...CODE_POINTS.map((range) => fc.integer(range))).map((code) => String.fromCodePoint(code)),
});
