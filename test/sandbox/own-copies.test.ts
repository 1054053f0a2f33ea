import { expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";

/** Changes a read-only value; whether that throws does not matter. */
function attempt(change: () => void): void {
  try {
    change();
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
  }
}

test("a fault shares no object with its caller", async () => {
  const sandbox = createSandbox({ size: 5 });
  const client = new MainClient(sandbox);
  const errors = { email: ["is taken"] };
  const body = { errors: {}, code: 409, message: "first" };
  sandbox.faults.next({ operation: "accounts.create", errors }, { status: 409, body });
  errors.email.push("changed");
  body.message = "changed";
  const [shown, other] = sandbox.faults.pending as { errors: typeof errors; body: typeof body }[];
  shown?.errors.email.push("changed");
  if (other) other.body.message = "changed";
  await expect(client.accounts.create({ name: "A" })).rejects.toMatchObject({ errors: { email: ["is taken"] } });
  await expect(client.accounts.get(1)).rejects.toMatchObject({ apiMessage: "first" });
});

test("a recorded request stays unchanged", async () => {
  const sandbox = createSandbox({
    size: 5,
    onRequest: ({ body }) => attempt(() => void Object.assign(body as object, { name: "changed" })),
  });
  await new MainClient(sandbox).accounts.create({ name: "A" });
  const [request] = sandbox.requests as unknown as { path: string; query: string[][]; body: { name: string } }[];
  attempt(() => void request?.query.push(["a", "b"]));
  attempt(() => void (request && Object.assign(request, { path: "/changed" })));
  expect(sandbox.requests[0]).toMatchObject({ path: "/api/v1/accounts", query: [], body: { name: "A" }, status: 201 });
});

test("a snapshot, even one from JSON, shares no mutable object", () => {
  interface Content {
    records: { written: Record<"accounts", { written: { name: string; label_ids: number[] }[] }> };
  }
  const sandbox = createSandbox({ size: 5 });
  sandbox.store.accounts.update(1, { name: "Kept", label_ids: [1] });
  const storedAccount = () => sandbox.store.accounts.get(1);
  const change = ({ records }: Content) => {
    const [account] = records.written.accounts.written;
    attempt(() => void account?.label_ids.push(9));
    attempt(() => void Object.assign(account ?? {}, { name: "changed" }));
  };
  const snapshot = sandbox.snapshot();
  change(snapshot as unknown as Content);
  expect(storedAccount()).toMatchObject({ name: "Kept", label_ids: [1] });
  const parsed = JSON.parse(JSON.stringify(snapshot)) as typeof snapshot;
  sandbox.restore(parsed);
  change(parsed as unknown as Content);
  expect(storedAccount()).toMatchObject({ name: "Kept", label_ids: [1] });
  sandbox.store.accounts.update(1, { name: "Changed" });
  sandbox.restore(snapshot);
  expect(storedAccount()).toMatchObject({ name: "Kept", label_ids: [1] });
});
