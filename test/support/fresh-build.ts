import { distState } from "../../scripts/build/stamp.ts";

/** Global setup of the tests that use dist: throws if dist is older than the sources. */
export function setup(): void {
  const state = distState();
  if (state === "fresh") return;
  const problem =
    state === "missing" ? "dist is missing or incomplete" : "dist is stale: src or the build's configuration changed";
  throw new Error(
    `${problem}. Run "npm run build" first, or only "npx vitest run --project unit", which needs no dist.`,
  );
}
