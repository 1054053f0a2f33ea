import { expect, test } from "vitest";
import { sideBySide } from "../../src/bulk/run-parts.js";
import { failure } from "../support/manual-clock.js";

/** Work on `count` items, each of which is finished only when the test says so. */
function gatedWork(count: number) {
  const begun: number[] = [];
  const open: (() => void)[] = [];
  const work = (item: number) => {
    begun.push(item);
    return new Promise<void>((resolve) => open.push(resolve));
  };
  const items = Array.from({ length: count }, (_, at) => at);
  return { begun, open, work, items };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("eight items are worked on at a time, and the next one starts as soon as one ends", async () => {
  const { begun, open, work, items } = gatedWork(10);
  const all = sideBySide(items, work);
  await turn();
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  open[3]?.();
  await turn();
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  for (let at = 0; at < 10; at++) {
    open[at]?.();
    await turn();
  }
  await all;
  expect(begun).toHaveLength(10);
});

test("after a failure no further work starts, and the error is thrown once running work has ended", async () => {
  const { begun, open, work, items } = gatedWork(20);
  let isOver = false;
  const error = failure(
    sideBySide(items, async (item) => {
      await work(item);
      if (item === 2 || item === 5) throw new Error(`item ${item}`);
    }).finally(() => {
      isOver = true;
    }),
  );
  await turn();
  open[2]?.();
  await turn();
  expect(isOver).toBe(false);
  for (const resolve of open) resolve();
  expect((await error).message).toBe("item 2");
  expect(begun).toHaveLength(8);
});
