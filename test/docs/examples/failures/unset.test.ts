import { describe, expect, test } from "vitest";
import { start } from "../../../support/program.ts";
import { EXAMPLES, place } from "../../support/place.ts";

describe("examples", () => {
  test.each(EXAMPLES)("%s names the missing environment variables", async (name) => {
    const { cwd } = await place();
    const { code, output } = await start(`examples/${name}/${name}.ts`, [], { cwd }).ended;
    expect([code, output]).toEqual([1, expect.stringContaining("EDUCATION_ADMIN_BASE_URL")]);
  });
});
