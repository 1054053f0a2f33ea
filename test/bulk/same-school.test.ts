import { expect, test } from "vitest";
import { apply, BulkError, plan, run, undo } from "../../src/bulk/node.js";
import { MainClient } from "../../src/index.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { failure } from "../support/manual-clock.js";
import { testFolder } from "./support/folder.js";
import { people } from "./support/school.js";

const BASE = "https://school.example";

/** A client of a sandbox. Several sandboxes share this address; the key determines which one is used. */
function clientOf(sandbox: Sandbox, apiKey: string | (() => string)) {
  const fetch: typeof globalThis.fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set("authorization", `Bearer ${sandbox.apiKey}`);
    return sandbox.fetch(String(input).replace(BASE, sandbox.baseUrl), { ...init, headers });
  };
  return new MainClient({ baseUrl: BASE, apiKey, fetch, clock: sandbox.clock });
}

const schoolOf = (seed: number) => createSandbox({ size: "small", seed, skipWaits: true });

const refusal = async (work: Promise<unknown>) => {
  const error = (await failure(work)) as BulkError;
  expect(error).toBeInstanceOf(BulkError);
  return [error.reason, error.message];
};

test("a plan is not applied to another school at the same address", async () => {
  const at = testFolder();
  const [ours, other] = [schoolOf(1), schoolOf(2)];
  await plan(clientOf(ours, "first").users, people(1), { to: at("a.plan"), key: "email" });
  other.store.users.update(25, { created_at: "2020-01-01T00:00:00.000Z" });
  const message = `${at("a.plan")} was made with another API key, which showed a different record with the identifier 25: it may belong to another school. Nothing was sent; plan the rows again.`;
  expect(await refusal(apply(clientOf(other, "second"), at("a.plan")))).toEqual(["other_school", message]);
  expect(
    await refusal(
      apply(
        clientOf(other, () => "second"),
        at("a.plan"),
      ),
    ),
  ).toEqual(["other_school", message]);
  other.store.users.delete(25);
  expect(await refusal(apply(clientOf(other, "second"), at("a.plan")))).toEqual(["other_school", message]);
  expect(other.calls("users.create")).toEqual([]);
});

test("another key of the same school, or a key function, can apply the plan and its undo", async () => {
  const at = testFolder();
  const ours = schoolOf(1);
  await plan(clientOf(ours, "first").users, [{ id: 3, first_name: "Changed" }], { to: at("a.plan"), key: "id" });
  expect(await apply(clientOf(ours, "second"), at("a.plan"))).toMatchObject({ updated: 1, requests: 4 });
  await undo(at("a.plan"), { to: at("b.plan") });
  expect(
    await apply(
      clientOf(ours, () => "third"),
      at("b.plan"),
    ),
  ).toMatchObject({ updated: 1, requests: 4 });
  expect(await apply(clientOf(ours, "first"), at("b.plan"))).toMatchObject({ requests: 0 });
});

test("a key function, whose tokens change, still counts as the same key if the newest record was deleted", async () => {
  const at = testFolder();
  const ours = schoolOf(1);
  const client = clientOf(ours, () => "token");
  await plan(client.users, [{ id: 3, first_name: "Changed" }], { to: at("a.plan"), key: "id" });
  ours.store.users.delete(25);
  expect(await apply(client, at("a.plan"))).toMatchObject({ updated: 1 });
});

test("a plan that saw no record is tied to its key until it has created one, which proves the school to another key", async () => {
  const at = testFolder();
  const [ours, other] = [1, 2].map((seed) => createSandbox({ empty: true, seed, skipWaits: true })) as [
    Sandbox,
    Sandbox,
  ];
  const options = { to: at("a.plan"), key: "email" } as const;
  await plan(clientOf(ours, "first").users, people(30), options);
  expect(await refusal(apply(clientOf(ours, "second"), at("a.plan")))).toEqual([
    "other_school",
    expect.stringMatching(/contains no record that identifies its school\. Nothing was sent; plan the rows again\.$/),
  ]);
  const ended = new AbortController();
  const onProgress = ({ rows }: { readonly rows: number }) => rows > 5 && ended.abort();
  await failure(apply(clientOf(ours, "first"), at("a.plan"), { signal: ended.signal, onProgress }));
  const second = clientOf(other, "second").users;
  for (const person of people(30)) await second.create({ ...person, email: person.email.replace("new", "else") });
  expect(await refusal(run(clientOf(other, "second").users, people(30), options))).toEqual([
    "other_school",
    expect.stringMatching(
      /does not show record \d+ of row \d+.*Nothing was sent by this run\..* move the plan away and run again\.$/,
    ),
  ]);
  expect(await run(clientOf(ours, "second").users, people(30), options)).toMatchObject({ created: 30, complete: true });
});

test("an interrupted run is not continued in another school", async () => {
  const at = testFolder();
  const [ours, other] = [schoolOf(1), schoolOf(2)];
  other.store.users.update(25, { created_at: "2020-01-01T00:00:00.000Z" });
  const options = { to: at("a.plan"), key: "email" } as const;
  const ended = new AbortController();
  const onProgress = ({ total, rows }: { readonly total: number | null; readonly rows: number }) => {
    if (total !== null && rows > 0) ended.abort();
  };
  await failure(run(clientOf(ours, "first").users, people(30), { ...options, signal: ended.signal, onProgress }));
  expect(ours.calls("users.create").length).toBeGreaterThan(0);
  expect((await refusal(run(clientOf(other, "second").users, people(30), options)))[0]).toBe("other_school");
  expect(other.calls("users.create")).toEqual([]);
});
