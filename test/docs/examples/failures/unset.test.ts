import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { start } from "../../../support/program.ts";
import { EXAMPLES, place } from "../../support/place.ts";

// One for many schools has no single address.
const NEEDS: Readonly<Record<string, string>> = {
  schools: "Set CLIENT_ID, CLIENT_SECRET, ORIGIN, SCHOOLS, ENCRYPTION_KEY",
};

describe("examples", () => {
  test.each(EXAMPLES)("%s names the environment variables it needs", async (name) => {
    const { cwd } = await place();
    writeFileSync(join(cwd, "leads.csv"), "title,email\n");
    const { code, output } = await start(
      `examples/${name}/${name}.ts`,
      ["leads.csv"].slice(name === "lead-import" ? 0 : 1),
      {
        cwd,
      },
    ).ended;
    expect([code, output]).toEqual([1, expect.stringContaining(NEEDS[name] ?? "EDUCATION_ADMIN_BASE_URL")]);
  });
});
