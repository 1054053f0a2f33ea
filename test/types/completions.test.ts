import { beforeAll, describe, expect, it, test } from "vitest";
import { type ContractApi, type ContractOperation, operations } from "../contract/support/contract-data.js";
import { type Editor, openInEditor } from "../support/editor.js";

// Checks the completions that an editor offers in bodies and for a list's references, with the built declarations.

const CLIENT = { main: "main", admin: "admin", organization: "main.organization" };
const bodies = operations.flatMap((operation) =>
  operation.apis
    .filter((api) => operation.body(api)?.length)
    .map((api) => ({ operation, api, place: `${callText(operation, api)}{ /*${api} ${operation.id}*/ ` })),
);
const updates = bodies.filter(({ operation }) => operation.method_name === "update" && operation.params.length === 1);
// Bodies with an extra field that the compiler does not check, because it comes from a spread.
const spread = updates.map(
  ({ operation, api }) =>
    `${callText(operation, api)}{ ...(given as unknown as Parameters<typeof ${resourceOf(operation, api)}.update>[1]), ...{ id: 7 } });`,
);
const PRELUDE = `import type { AdminClient, MainClient } from "./index.js";
declare const given: unknown; declare const main: MainClient; declare const admin: AdminClient;
main.enrollments.list().with({ /*references*/ });
main.enrollments.list().with({ student: true, /*more references*/ });`;
const FIRST = PRELUDE.split("\n").length;

let editor: Editor;

beforeAll(() => {
  editor = openInEditor([PRELUDE, ...spread, ...bodies.map(({ place }) => `${place}});`)].join("\n"));
}, 240_000);

function resourceOf({ resource }: ContractOperation, api: ContractApi): string {
  return `${CLIENT[api]}.${resource.replace(/^organization\./, "")}`;
}

function callText(operation: ContractOperation, api: ContractApi): string {
  const names = operation.params.map(({ name }) => name);
  const value = (name: string) => (name.endsWith("slug") || operation.resource === "webhooks" ? '"text"' : "7");
  const path =
    names.length > 1 ? `{ ${names.map((name) => `${name}: ${value(name)}`).join(", ")} }` : names.map(value)[0];
  return `${resourceOf(operation, api)}.${operation.method_name}(${path === undefined ? "" : `${path}, `}`;
}

describe("in a body, an editor offers only writable fields", () => {
  test.each(bodies.map((body) => [body.operation.id, body.api, body] as const))(
    "%s of the %s API",
    (_id, api, body) => {
      const fields = body.operation.body(api) ?? [];
      expect(editor.completionsAfter(body.place).sort()).toEqual(fields.map(({ name }) => name).sort());
    },
  );

  it("in at least 100 operations", () => {
    expect(bodies.length).toBeGreaterThan(100);
    expect(updates.length).toBeGreaterThan(30);
  });
});

describe("a record is not a body: the error names a field that only records have", () => {
  test.each(updates.map(({ operation, api }, index) => [operation.id, api, index] as const))(
    "%s of the %s API",
    (_id, _api, index) => {
      const found = editor.complaints().filter(({ line }) => line === FIRST + index);
      expect(found.map(({ message }) => message)).toEqual([expect.stringContaining("'\"id is read-only\"'")]);
    },
  );
});

test("an editor offers each reference that a list can join once", () => {
  expect(editor.completionsAfter("with({ /*references*/ ").sort()).toEqual(["order", "planned_course", "student"]);
  expect(editor.completionsAfter("/*more references*/ ").sort()).toEqual(["order", "planned_course"]);
});
