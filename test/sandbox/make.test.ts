import { describe, expect, expectTypeOf, test } from "vitest";
import * as z from "zod/mini";
import type { Schema } from "../../src/core/schema/model.js";
import { strictSchema } from "../../src/core/schema/strict-schema.js";
import { createSandbox, type Factories } from "../../src/sandbox/index.js";
import type { Account } from "../../src/schemas.js";
import * as schemas from "../../src/schemas.js";

type NamesOf<Exported> = Exported extends `${infer Name}Schema` ? Name : never;
type Made = Exclude<NamesOf<keyof typeof schemas>, `${string}Query` | `${string}Path`>;

const sandbox = createSandbox({ size: 40, seed: 5 });
const names = Object.keys(sandbox.make) as (keyof Factories)[];

describe("factories", () => {
  test("exist for every record and body in the schemas entry, at run time and as a type", () => {
    expectTypeOf<keyof Factories>().toEqualTypeOf<Made>();
    const exported = Object.keys(schemas).filter((name) => /Schema$/.test(name) && !/(Query|Path)Schema$/.test(name));
    expect(names.map((name) => `${name}Schema`).sort()).toEqual(exported.sort());
    expect(names.length).toBeGreaterThan(100);
  });

  test.each(names)("make.%s creates what its schema accepts, without an extra field", (name) => {
    const schema = (schemas as unknown as Record<string, Schema>)[`${name}Schema`] as Schema;
    const strict = strictSchema(schema, "input");
    for (let round = 0; round < 3; round++) {
      const result = z.safeParse(strict, JSON.parse(JSON.stringify(sandbox.make[name]())));
      expect(result.error?.issues ?? []).toEqual([]);
    }
  });

  test("keep the caller's fields, generate plausible others, and store nothing", () => {
    const account = sandbox.make.account({ name: "Example Ltd", visible: false });
    expectTypeOf(account).toEqualTypeOf<Account>();
    expect(account).toMatchObject({ name: "Example Ltd", visible: false });
    expect(account.email ?? "@example.org").toMatch(/@example\.(com|org)$/);
    expect(sandbox.store.accounts.get(account.id)).toBeUndefined();
    expect(sandbox.store.accounts.count).toBe(40);
  });

  test("give every record another identifier", () => {
    const ids = [1, 2, 3].map(() => sandbox.make.invoice().id);
    expect(new Set(ids).size).toBe(3);
  });
});
