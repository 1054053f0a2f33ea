import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { settle } from "./manual-clock.js";

/** Runs the garbage collector. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let round = 0; round < 3; round++) {
    await settle();
    collect();
  }
}
