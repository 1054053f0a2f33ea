/** The codes that {@link codes} reads from a string, as a union type. */
type Codes<Text extends string, Found = never> = Text extends `${infer Group} ${infer Rest}`
  ? Codes<Rest, Found | CodesOf<Group>>
  : Found | CodesOf<Text>;

type CodesOf<Group extends string> = Group extends `${infer First}${infer Seconds}`
  ? `${First}${Letters<Seconds>}`
  : never;

type Letters<Text extends string, Found extends string = never> = Text extends `${infer Letter}${infer Rest}`
  ? Letters<Rest, Found | Letter>
  : Found;

/**
 * Expands two-letter codes from groups of a first letter and its second letters: `"ADEF BAB"` is AD, AE, AF, BA, BB.
 * Written as an array, the countries alone would add half a kilobyte to every bundle.
 */
export function codes<const Text extends string>(
  text: Text,
): readonly [Extract<Codes<Text>, string>, ...Extract<Codes<Text>, string>[]] {
  const found = text.split(" ").flatMap(([first = "", ...seconds]) => seconds.map((second) => first + second));
  return found as [Extract<Codes<Text>, string>, ...Extract<Codes<Text>, string>[]];
}
