import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { schoolFile } from "../../src/cli/types/school-file.js";
import type { Operation } from "../../src/core/operation.js";
import { fieldsOf } from "../../src/core/schema/traits.js";
import { CUSTOM_KINDS, type CustomKind } from "../../src/models/custom-kinds.js";
import { allOperations } from "../../src/operations.js";
import { resourceOf } from "../../src/resources/references.js";
import { makeFolder, typeCheck } from "../support/type-check.js";
import { EVERY_KIND } from "./every-kind.js";

const HEAD = `import type { AdminClient, MainClient, References } from "../../src/index.js";
import type { SchoolRecord } from "../../src/school/index.js";
import type { School } from "./school.js";
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function holds<T extends true>(): T;
declare const main: MainClient<School>;
declare const admin: AdminClient<School>;
declare const any: never;
`;

// Joins every list by every reference to a record with custom fields, according to the tables.
it("the client of a school types the joins of every list", { timeout: 240_000 }, async () => {
  const wanted = allOperations.filter(({ paged }) => paged !== undefined).flatMap(joinsOf);
  expect(wanted.length).toBeGreaterThan(50);
  const lines = wanted.map(
    ({ list, name, kind }, at) =>
      `const l${at} = await ${list}(any, any).with({ ${name}: true }).toArray(); holds<Same<(typeof l${at})[number]["${name}"], SchoolRecord<References["${name}"], School, "${kind}"> | null>>();`,
  );
  const wrong = 'holds<Same<Awaited<ReturnType<typeof main.accounts.get>>, References["account"]>>();';
  const text = `${HEAD}${[...lines, wrong].join("\n")}\nexport {};\n`;
  const folder = makeFolder();
  const joins = join(folder, "joins.ts");
  writeFileSync(joins, text);
  const school = schoolFile(EVERY_KIND).replace("education-admin-sdk/school", "../../src/school/index.js");
  writeFileSync(join(folder, "school.ts"), school);
  const found = (await typeCheck([joins])).get(joins)?.map(({ line }) => text.split("\n")[line - 1]);
  rmSync(folder, { recursive: true });
  expect(found).toEqual([wrong]);
});

interface Join {
  /** The name of the list method. */
  readonly list: string;
  readonly name: string;
  readonly kind: CustomKind;
}

function joinsOf({ id, apis, response }: Operation): Join[] {
  const resource = id.slice(0, id.lastIndexOf("."));
  const names = Object.keys(fieldsOf(response))
    .filter((field) => field.endsWith("_id"))
    .map((field) => field.slice(0, -"_id".length));
  // The other clients include the Organization API.
  const clients = ["main", "admin"].filter((api) => apis.some((each) => each === api || each === "organization"));
  return names.flatMap((name) => {
    const kind = Object.entries(CUSTOM_KINDS).find(([owner]) => owner === resourceOf(name, resource))?.[1];
    return kind ? clients.map((client) => ({ list: `${client}.${id}`, name, kind })) : [];
  });
}
