import { describe, expect, expectTypeOf, test, vi } from "vitest";
import {
  type Account,
  type Accounts,
  ApiError,
  BadRequestError,
  Call,
  CheckpointError,
  type Contacts,
  MainClient,
  NotFoundError,
  type OperationId,
  type OrganizationClient,
  Pages,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
  UnprocessableEntityError,
} from "../../src/index.js";
import { createSandbox, fakeCall, fakeError, fakePages, fakeResource } from "../../src/sandbox/index.js";

const { make } = createSandbox({ size: 1 });
const accounts = (...ids: number[]): Account[] => ids.map((id) => ({ ...make.account(), id }));
const idsOf = (records: readonly { id: number }[]) => records.map(({ id }) => id);

describe("fakeCall", () => {
  test("is a real call with its data and its response", async () => {
    const [account] = accounts(7) as [Account];
    const call = fakeCall(account, { status: 201, headers: { "x-a": "b" }, requestId: "r-1" });
    expectTypeOf(call).toEqualTypeOf<Call<Account>>();
    expect(call).toBeInstanceOf(Call);
    expect(await call).toBe(account);
    const { data, response } = await call.withResponse();
    expect(data).toBe(account);
    expect(response).toMatchObject({
      status: 201,
      requestId: "r-1",
      attempts: 1,
      waitedMs: 0,
      redirected: false,
      hiddenHeaders: [],
    });
    expect(response.headers.get("x-a")).toBe("b");
  });

  test("throws an error passed instead of data, but only when it is awaited", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const error = new RangeError("no");
    const call = fakeCall<Account>(error);
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    await expect(call).rejects.toBe(error);
    await expect(call.withResponse()).rejects.toBe(error);
  });

  test("has the type of the data alone, whether it holds data or an error", () => {
    const error = fakeError({ operation: "accounts.get", status: 404 });
    const [account] = accounts(7) as [Account];
    const either = (id: number) => fakeCall(id === 7 ? account : error);
    expectTypeOf(either).returns.toEqualTypeOf<Call<Account>>();
    expectTypeOf(fakeCall(error)).toExtend<Call<Account>>();
  });

  test("without data represents an operation that returns nothing", async () => {
    expectTypeOf(fakeCall(undefined)).toEqualTypeOf<Call<undefined>>();
    const call: Call<void> = fakeCall(undefined);
    expect(await call).toBeUndefined();
  });
});

describe("fakeError", () => {
  test.each([
    [400, BadRequestError],
    [403, PermissionDeniedError],
    [404, NotFoundError],
    [422, UnprocessableEntityError],
    [429, RateLimitError],
    [503, ServerError],
  ])("is the error that a client throws for a %i", async (status, expected) => {
    const sandbox = createSandbox({ size: 5 });
    sandbox.faults.next({ status, errors: { email: ["is taken"] }, message: "No" });
    const client = new MainClient({ ...sandbox, retry: false });
    const real: unknown = await client.accounts.create({ name: "A" }).catch((error: unknown) => error);
    const fake = fakeError({ operation: "accounts.create", status, errors: { email: ["is taken"] }, message: "No" });
    expect(fake).toBeInstanceOf(expected);
    expect(real).toBeInstanceOf(expected);
    if (!(real instanceof ApiError)) throw real;
    const errorFacts = ({
      message,
      code,
      apiCode,
      apiMessage,
      errors,
      operation,
      method,
      path,
      outcome,
      attempts,
    }: ApiError) => ({ message, code, apiCode, apiMessage, errors, operation, method, path, outcome, attempts });
    // The client adds its waiting time to the message, so only the beginning is compared.
    if (status === 429) expect(real.message).toContain("429 Too Many Requests: No");
    else
      expect({ ...errorFacts(real), message: real.message.replace(", request request-1", "") }).toEqual(
        errorFacts(fake),
      );
    await expect(fakeCall(fake)).rejects.toBe(fake);
  });

  test("has the waiting time of a 429, and refuses a status that is not an error", () => {
    const limited = fakeError({ operation: "accounts.list", status: 429, retryAfterMs: 5_000 });
    expect(limited).toMatchObject({ retryAfterMs: 5_000 });
    expect(() => fakeError({ operation: "accounts.list", status: 200 })).toThrow("status must be");
    // @ts-expect-error -- this operation does not exist.
    expect(() => fakeError({ operation: "account.list", status: 500 })).toThrow('did you mean "accounts.list"?');
  });
});

describe("fakePages", () => {
  test("is a real list of the given pages, however it is read", async () => {
    const pages = fakePages([accounts(1, 2), [], accounts(3)]);
    expectTypeOf(pages).toEqualTypeOf<Pages<Account>>();
    expect(pages).toBeInstanceOf(Pages);
    expect(idsOf(await pages.toArray())).toEqual([1, 2, 3]);
    expect(idsOf(await pages.toArray({ max: 2 }))).toEqual([1, 2]);
    const seen: number[] = [];
    for await (const { id } of pages) seen.push(id);
    for await (const { id } of pages.take(1)) seen.push(id);
    expect(seen).toEqual([1, 2, 3, 1]);
    const sizes: number[] = [];
    for await (const page of pages.byPage()) sizes.push(page.records.length);
    expect(sizes).toEqual([2, 0, 1]);
    expect(await pages.count()).toBe(3);
    const first = await pages;
    expect([idsOf(first.records), first.hasNext, first.response.status]).toEqual([[1, 2], true, 200]);
    expect(idsOf((await (await first.nextPage()).nextPage()).records)).toEqual([3]);
  });

  test("divides records into pages", async () => {
    const pages = fakePages(accounts(1, 2, 3, 4, 5), { pageSize: 2 });
    expectTypeOf(pages).toEqualTypeOf<Pages<Account>>();
    const sizes: number[] = [];
    for await (const page of pages.byPage()) sizes.push(page.records.length);
    expect(sizes).toEqual([2, 2, 1]);
    expect((await fakePages(accounts(...Array.from({ length: 101 }, (_, at) => at)))).records).toHaveLength(100);
    expect(await fakePages<Account>([]).toArray()).toEqual([]);
    expect(() => fakePages<Account>([], { pageSize: 0 })).toThrow("pageSize must be a positive whole number");
  });

  test("fails at an error's position, and a checkpoint resumes after the page before it", async () => {
    const error = fakeError({ operation: "accounts.list", status: 503 });
    const checkpoints: string[] = [];
    const failing = async () => {
      for await (const page of fakePages([accounts(1), error, accounts(3)]).byPage()) checkpoints.push(page.checkpoint);
    };
    await expect(failing()).rejects.toBe(error);
    expect(checkpoints).toHaveLength(1);
    const resumed = fakePages([accounts(1), accounts(2), accounts(3)], { resume: checkpoints[0] });
    expect(idsOf(await resumed.toArray())).toEqual([2, 3]);
    await expect(fakePages([accounts(1)], { resume: "elsewhere" }).first()).rejects.toBeInstanceOf(CheckpointError);
  });

  test("respects the signal and maxPages of the list that it replaces", async () => {
    const three = [accounts(1), accounts(2), accounts(3)];
    expect(idsOf(await fakePages(three, { maxPages: 2 }).toArray())).toEqual([1, 2]);
    const signal = AbortSignal.abort(new Error("stopped"));
    await expect(fakePages(three, { signal }).toArray()).rejects.toThrow("stopped");
  });

  test("joins records that contain their references", async () => {
    const student = make.user({ first_name: "Example" });
    const list = fakePages([[{ ...make.enrollment(), student_id: student.id, student }]]);
    const [record] = await list.with({ student: true }).toArray();
    expect(record?.student?.first_name).toBe("Example");
  });
});

describe("a class under test", () => {
  class Renamer {
    readonly #client: Pick<MainClient, "accounts">;
    constructor(client: Pick<MainClient, "accounts">) {
      this.#client = client;
    }
    async rename(id: number): Promise<string> {
      const { name } = await this.#client.accounts.get(id);
      return (await this.#client.accounts.update(id, { name: `${name} Ltd` })).name;
    }
  }

  test("accepts a fake in place of a part of a client", async () => {
    const [account] = accounts(7) as [Account];
    const update = vi.fn((_id: number, body: { name?: string | undefined }) =>
      fakeCall({ ...account, name: body.name ?? "" }),
    );
    const fake = fakeResource<Accounts>({ get: () => fakeCall({ ...account, name: "Example" }), update });
    expect(await new Renamer({ accounts: fake }).rename(7)).toBe("Example Ltd");
    expect(update).toHaveBeenCalledWith(7, { name: "Example Ltd" });
    expect(() => fake.list()).toThrow("list is not faked");
    // A fake can be awaited and printed like any object.
    expect(await Promise.resolve(fake)).toBe(fake);
    expect(JSON.stringify({ fake })).toBe('{"fake":{}}');
  });

  test("also accepts the real client of either provider API and of organizations", () => {
    expectTypeOf<MainClient>().toExtend<{ accounts: Accounts }>();
    expectTypeOf<Accounts>().toExtend<MainClient["accounts"]>();
    expectTypeOf<Contacts>().toExtend<OrganizationClient["contacts"]>();
    type Rows<Id> = Id extends `accounts.${infer Name}` ? Name : never;
    expectTypeOf<keyof Accounts>().toEqualTypeOf<Rows<OperationId> | "getMany" | "lookup">();
  });
});
