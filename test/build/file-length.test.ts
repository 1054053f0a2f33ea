import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../scripts/lib/generated.ts";

const MOST_LINES = 400;
const NOT_BY_HAND = ["**/node_modules", "**/dist", "src/generated", "scripts/bench/generated"];

test(`no hand-written file has more than ${MOST_LINES} lines`, () => {
  const files = globSync("{src,test,scripts,examples}/**/*.ts", { cwd: ROOT, exclude: NOT_BY_HAND });
  expect(files.length).toBeGreaterThan(500);
  const lengths = files.map((file) => ({ file, lines: readFileSync(join(ROOT, file), "utf8").split("\n").length - 1 }));
  const tooLong = lengths.filter(({ lines }) => lines > MOST_LINES).map(({ file, lines }) => `${file}: ${lines} lines`);
  expect(tooLong, "split these by subject").toEqual([]);
});
