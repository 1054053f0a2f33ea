import { expect, test } from "vitest";
import { plan, rowsOf } from "../../src/bulk/node.js";
import { problemsOf } from "../../src/bulk/problems.js";
import { MainClient } from "../../src/index.js";
import type { Resource } from "../../src/operations.js";
import { failure } from "../support/manual-clock.js";
import { testFolder } from "./support/folder.js";
import { connection, school } from "./support/school.js";

async function getWithFault(fault: object) {
  const { sandbox } = school();
  const client = new MainClient({ ...connection(sandbox), retry: false });
  sandbox.faults.next(fault);
  return failure(client.users.get(1));
}

test("the service's errors are reported field by field, or as its status and message", async () => {
  const errors = { email: ["is taken", "is odd"], last_name: ["is missing"] };
  expect(problemsOf(await getWithFault({ errors }), [])).toEqual([
    { field: "email", message: "is taken" },
    { field: "email", message: "is odd" },
    { field: "last_name", message: "is missing" },
  ]);
  expect(problemsOf(await getWithFault({ status: 403 }), [])).toEqual([{ message: "403 Forbidden" }]);
  expect(problemsOf(await getWithFault({ status: 422, body: {} }), [])).toEqual([{ message: "422" }]);
  expect(problemsOf(await getWithFault({ status: 422, message: "Ada Fox is odd" }), ["Ada Fox"])).toEqual([
    { message: "422 [redacted] is odd" },
  ]);
});

test("the client's refusals are reported field by field, and any other error by its message", async () => {
  const { client } = school();
  const input = await failure(client.users.update(1, { email: 7, first_name: 8 } as never));
  expect(problemsOf(input, []).map(({ field }) => field)).toEqual(["first_name", "email"]);
  const reset = await getWithFault({ reset: true });
  expect(problemsOf(reset, [])).toEqual([{ message: reset.message }]);
});

test("the row's values are redacted in messages about fields too, whatever their case", async () => {
  const error = await getWithFault({ errors: { "custom.Ada": ["ada is taken, ADA is not"] } });
  expect(problemsOf(error, ["Ada"])).toEqual([
    { field: "custom.[redacted]", message: "[redacted] is taken, [redacted] is not" },
  ]);
});

test("a path through a field that refers to no list, or to a field that the referenced records lack, is refused", async () => {
  const at = testFolder();
  const { sandbox, client } = school();
  const { users, meetings } = client;
  const other = (field: string) =>
    `find.${field} names "nmae", which is not a field of the record; did you mean "name"?`;
  const cases: readonly (readonly [Resource, string, string, string])[] = [
    [users, "email", "name", "find.email does not refer to records of a list."],
    [users, "label_ids", "nmae", other("label_ids")],
    [meetings, "planning_meeting_location_ids", "nmae", other("planning_meeting_location_ids")],
  ];
  for (const [resource, field, by, message] of cases) {
    const options = { to: at("a.plan"), key: "id", find: { [field]: by } } as never;
    expect((await failure(plan(resource, [], options))).message).toBe(`plan: ${message} Nothing was sent.`);
  }
  expect(sandbox.requests).toHaveLength(0);
});

test("names are found without surrounding blanks and in any composition of their letters", async () => {
  const at = testFolder();
  const { sandbox, client } = school();
  const { id } = sandbox.store.labels.insert({ name: "Caf\u00e9", model_type: "User" });
  const person = { email: "a@example.com", first_name: "A", last_name: "B", label_ids: [" Cafe\u0301 "] };
  await plan(client.users, [person] as never, { to: at("a.plan"), key: "email", find: { label_ids: "name" } });
  for await (const planned of rowsOf(at("a.plan"))) {
    expect(planned).toMatchObject({ do: "create", send: { label_ids: [id] } });
  }
});
