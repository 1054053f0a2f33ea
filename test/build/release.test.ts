import { expect, test } from "vitest";
import { openAddresses } from "../../scripts/release/addresses.ts";

const named = {
  repository: { type: "git", url: "git+https://git.example/school/sdk.git" },
  homepage: "https://sdk.example",
  bugs: { url: "https://git.example/school/sdk/issues" },
};

test("a release needs the three addresses of the package", () => {
  expect(openAddresses({})).toEqual(["repository", "homepage", "bugs"]);
  expect(openAddresses({ ...named, bugs: {}, homepage: "" })).toEqual(["homepage", "bugs"]);
  expect(openAddresses(named)).toEqual([]);
});
