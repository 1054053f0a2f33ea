import { cpSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { makeFolder, typeCheck } from "../support/type-check.js";

const DIST = fileURLToPath(new URL("../../dist", import.meta.url));

// Simulates an application and one of its packages, which have installed two different versions.
const TWO_COPIES = `import type * as one from "./one/index.js";
  import type * as two from "./two/index.js";
  type Both<A, B> = [A] extends [B] ? ([B] extends [A] ? true : "not back") : "not there";
  type Differing<A, B> = { [K in keyof A & keyof B]: Both<A[K], B[K]> extends true ? never : K }[keyof A & keyof B];
  export const page: Both<one.Page<one.Enrollment>, two.Page<two.Enrollment>> = true;
  export const pages: Both<one.Pages<one.Enrollment>, two.Pages<two.Enrollment>> = true;
  export const call: Both<one.Call<one.Enrollment>, two.Call<two.Enrollment>> = true;
  export const main: Both<Differing<one.MainClient, two.MainClient>, "requestPages" | "organization"> = true;
  export const admin: Both<Differing<one.AdminClient, two.AdminClient>, "requestPages" | "organization"> = true;
  export const organization: Both<Differing<one.OrganizationClient, two.OrganizationClient>, "requestPages"> = true;
  export const wrong: Both<one.Account, two.Enrollment> = true;`;

// `requestPages` and `organization` are exceptions: there the result of `with` depends on the list's schema, which the
// compiler cannot compare.
it("two copies of the package accept each other's pages, lists, calls and resources", async () => {
  const folder = makeFolder();
  for (const copy of ["one", "two"])
    cpSync(DIST, join(folder, copy), {
      recursive: true,
      filter: (from) => statSync(from).isDirectory() || from.endsWith(".d.ts"),
    });
  const file = join(folder, "both.ts");
  writeFileSync(file, TWO_COPIES);
  const found = await typeCheck([file]);
  rmSync(folder, { recursive: true });
  expect(found.get(file)).toEqual([{ line: 11, message: expect.stringContaining("not there") }]);
});
