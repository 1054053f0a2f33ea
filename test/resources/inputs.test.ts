import { describe, expect, test } from "vitest";
import { InputError, type MainClient } from "../../src/index.js";
import {
  accountUpdateSchema,
  gradeUpdateSchema,
  InvoiceStatus,
  MeetingAttendanceStatus,
  pickInput,
} from "../../src/schemas.js";
import { accountRecord } from "../support/records.js";
import { issuesOf, wire } from "./support/wire.js";

describe("filters that take several values", () => {
  test("accept readonly lists and a single value", async () => {
    const { main, calls } = wire();
    await main.invoices.list({ status: InvoiceStatus.values });
    await main.invoices.list({ status: ["open", "paid"] as const });
    await main.invoices.list({ status: "open" });
    await main.labels.list({ id: 7 });
    await main.organization.meetings.list({ attendance_status: MeetingAttendanceStatus.values });
    const sent = calls.map(
      ({ url }) => url.searchParams.getAll("status").join() || url.searchParams.getAll("id").join(),
    );
    expect(sent.slice(0, 4)).toEqual([InvoiceStatus.values.join(), "open,paid", "open", "7"]);
  });

  test("send a single value as a list of one in every array format", async () => {
    const { main, calls } = wire({ arrayFormat: "brackets" });
    await main.invoices.list({ status: "open" });
    expect(calls[0]?.url.searchParams.getAll("status[]")).toEqual(["open"]);
  });

  test("refuse a single value outside the enumeration, and name the allowed ones", async () => {
    const { main, calls } = wire();
    const [issue] = await issuesOf(main.invoices.list({ status: "opened" as never }));
    expect(issue).toEqual({ path: "status", message: "must be one of: concept, expired, open, paid, deleted" });
    expect(calls).toEqual([]);
  });
});

test("lists in bodies accept readonly arrays", async () => {
  const { main, body } = wire();
  const labels = [1, 2] as const;
  await main.accounts.update(7, { name: "A", label_ids: labels });
  expect(body()).toBe('{"name":"A","label_ids":[1,2]}');
  await main.users.update(7, { label_ids: labels });
  expect(body()).toBe('{"label_ids":[1,2]}');
});

describe("moments", () => {
  const instant = { epochMilliseconds: Date.parse("2030-07-01T08:00:00Z"), toString: () => "2030-07-01T08:00:00Z" };
  const writes = (text: string) => ({ toString: () => text });

  test.each([
    ["text without milliseconds", "2030-07-01T08:00:00Z", "2030-07-01T08:00:00.000Z"],
    ["text with nanoseconds", "2030-07-01T08:00:00.123456789Z", "2030-07-01T08:00:00.123Z"],
    ["a Date", new Date("2030-07-01T08:00:00Z"), "2030-07-01T08:00:00.000Z"],
    ["what has epochMilliseconds, as a Temporal.Instant", instant, "2030-07-01T08:00:00.000Z"],
    ["what writes an instant", writes("2030-07-01T08:00:00Z"), "2030-07-01T08:00:00.000Z"],
    ["what writes an instant with an offset", writes("2030-07-01T10:00:00.5+02:00"), "2030-07-01T08:00:00.500Z"],
  ])("%s is sent in the service's format", async (_, start, written) => {
    const { main, calls } = wire();
    await main.meetings.list({ start: start as Date });
    expect(calls[0]?.url.searchParams.get("start")).toBe(written);
  });

  test.each([
    ["a day that does not exist", "2030-02-30T08:00:00Z"],
    ["an hour that does not exist", "2030-07-01T25:00:00Z"],
    ["an object that writes no instant", {}],
    ["an array that would be written as one", ["2030-07-01T08:00:00Z"]],
    ["a Date of no time", new Date(Number.NaN)],
    ["an instant of no time", { epochMilliseconds: Number.NaN }],
    ["an instant past year 9999", { epochMilliseconds: 8.64e15 }],
    ["a number", 1_900_000_000_000],
  ])("%s is refused", async (_, start) => {
    const { main, calls } = wire();
    const [issue] = await issuesOf(main.meetings.list({ start: start as never }));
    expect(issue?.path).toBe("start");
    expect(issue?.message).toContain("such as 2030-07-01T08:00:00Z");
    expect(calls).toEqual([]);
  });

  test("date_from of meetings accepts a Date and sends its UTC day", async () => {
    const { main, calls } = wire();
    await main.meetings.list({ date_from: new Date("2030-07-01T23:30:00Z") });
    await main.meetings.listForPlannedCourse(7, { date_from: new Date("2030-07-01T23:30:00Z") });
    expect(calls.map(({ url }) => url.searchParams.get("date_from"))).toEqual(["2030-07-01", "2030-07-01"]);
  });
});

describe("a record sent back as input", () => {
  test("is refused, and each read-only field names the one to send instead", async () => {
    const { main, calls } = wire();
    const account = accountRecord(7);
    const issues = await issuesOf(main.accounts.update(7, { ...account, name: "New" } as never));
    expect(issues).toContainEqual({ path: "address", message: "is read-only here; send address_attributes" });
    expect(issues).toContainEqual({ path: "created_at", message: "is read-only here; leave it out" });
    expect(calls).toEqual([]);
    const error = await Promise.resolve(main.accounts.update(7, { ...account } as never)).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(InputError);
    expect((error as InputError).message).toContain("address is read-only here; send address_attributes");
  });

  test("with a field that neither has is refused as unknown", async () => {
    const { main } = wire();
    const [issue] = await issuesOf(main.accounts.update(7, { name: "A", nam: "B" } as never));
    expect(issue?.path).toBe("nam");
    expect(issue?.message).not.toContain("read-only");
  });

  test("becomes a body of the fields that the update accepts with pickInput", async () => {
    const { main, body } = wire();
    const account = accountRecord(7);
    await main.accounts.update(7, { ...pickInput(accountUpdateSchema, account), name: "New" });
    const { email, phone, label_ids, custom } = account;
    expect(JSON.parse(body() ?? "")).toEqual({ name: "New", email, phone, label_ids, custom });
  });

  test("loses a value that is sent in another form with pickInput", () => {
    const grade = { id: 7, grade: "A", score: "8.5", comment: null };
    expect(pickInput(gradeUpdateSchema, grade)).toEqual({ grade: "A", comment: null });
  });
});

describe("addresses", () => {
  test.each([
    ["accounts.create", (main: MainClient, email: string) => main.accounts.create({ name: "A", email })],
    ["accounts.update", (main: MainClient, email: string) => main.accounts.update(7, { name: "A", email })],
    ["users.list", (main: MainClient, email: string) => main.users.list({ email })],
    [
      "users.create",
      (main: MainClient, email: string) => main.users.create({ first_name: "A", last_name: "B", email }),
    ],
    ["users.update", (main: MainClient, email: string) => main.users.update(7, { email })],
    ["leads.create", (main: MainClient, email: string) => main.leads.create({ title: "A", quality: null, email })],
  ])("of e-mail that the service refuses are also refused by %s", async (_, send) => {
    const { main, calls } = wire();
    for (const email of ["", "x", "a@", "@b", "a b@c", "a@b@c"]) {
      expect(await issuesOf(send(main, email)), email).toEqual([
        { path: "email", message: "must be an e-mail address" },
      ]);
    }
    expect(calls).toEqual([]);
    for (const email of ["a@b", "o'brien+x@example.co.uk", "ü@bücher.example"]) await send(main, email);
    expect(calls).toHaveLength(3);
  });

  test("of webhooks must be complete", async () => {
    const { main, calls } = wire();
    const issue = { path: "url", message: "must be a complete http or https address" };
    for (const url of ["", "example.com/hook", "/hook", "ftp://example.com"]) {
      expect(await issuesOf(main.webhooks.create({ url })), url).toEqual([issue]);
      expect(await issuesOf(main.webhooks.update("7", { url })), url).toEqual([issue]);
    }
    expect(calls).toEqual([]);
    await main.webhooks.create({ url: "https://example.com/hook" });
    expect(calls).toHaveLength(1);
  });
});
