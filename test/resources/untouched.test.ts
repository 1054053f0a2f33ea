import { describe, expect, test } from "vitest";
import { failure } from "../support/manual-clock.js";
import { wire } from "./support/wire.js";

const TEXTS = [
  "{{ user.full_name }} and {{educator.reply_to}}",
  '<p class="a">Dear &amp; "honoured" student,</p><script>alert(1)</script>',
  "It's 'quoted' \\ back\\slashed \\n and \\u0041",
  "first\nsecond\r\nthird\ttabbed",
  "Zoë, Łukasz, 学生, العربية, 👩‍🎓, e\u0301, \u00a0, \u2028, \u2029",
  "   white space around   ",
  "",
  "\u0000\u001f\u007f",
];

describe("an e-mail is sent byte for byte", () => {
  test.each(TEXTS)("%j", async (text) => {
    const { admin, calls, body } = wire();
    const email = { from: text, subject: text, body: text };
    await admin.emails.send(7, email);
    expect(body()).toBe(JSON.stringify(email));
    expect(JSON.parse(body() ?? "")).toEqual(email);
    expect(calls[0]?.url.pathname).toBe("/api/v1/users/7/emails");
  });

  test("a long text is neither cut nor wrapped", async () => {
    const { admin, body } = wire();
    const long = `<p>${"{{tag}} ".repeat(50_000)}</p>`;
    await admin.emails.send(7, { from: "a", subject: "b", body: long });
    expect(JSON.parse(body() ?? "").body).toBe(long);
  });
});

describe("null empties a field, and undefined leaves it unchanged", () => {
  test("null is sent and undefined is not, for each kind of value", async () => {
    const { main, body } = wire();
    await main.accounts.update(7, { name: "A", email: null, phone: undefined, address_attributes: null });
    expect(body()).toBe('{"name":"A","email":null,"address_attributes":null}');
    await main.accounts.update(7, {
      name: "A",
      address_attributes: {
        address: "A 1",
        postal_code: "1",
        city: "B",
        country: "NL",
        addressee: null,
        id: undefined,
      },
    });
    expect(body()).toBe(
      '{"name":"A","address_attributes":{"addressee":null,"address":"A 1","postal_code":"1","city":"B","country":"NL"}}',
    );
    await main.categories.update(7, { description: null, parent_id: null, meta_title: undefined });
    expect(body()).toBe('{"description":null,"parent_id":null}');
    await main.accounts.update(7, { name: "A", custom: { colour: null, size: "" } });
    expect(body()).toBe('{"name":"A","custom":{"colour":null,"size":""}}');
  });

  test("empty text, zero, false and empty lists are values and are sent", async () => {
    const { main, body } = wire();
    await main.accounts.update(7, { name: "", phone: "", label_ids: [], custom: { count: 0, flag: false } });
    expect(body()).toBe('{"name":"","phone":"","label_ids":[],"custom":{"count":0,"flag":false}}');
  });

  test.each([{ student_id: undefined }, { status: [] }])(
    "a filter without a value is refused in a query: %o",
    async (filter) => {
      const { main } = wire();
      const error = await failure(main.enrollments.list({ ...filter, with_canceled: false }));
      expect(error.message).toContain(
        "would ask for all records; leave the filter out to ask for all. Nothing was sent.",
      );
    },
  );

  test("the caller's object stays unchanged", async () => {
    const { main } = wire();
    const date = new Date(Date.UTC(2030, 5, 30));
    const given = Object.freeze({ name: null, start_date_time: date, end_date_time: date, description: undefined });
    await main.meetings.createForPlannedCourse(1, given);
    expect(given).toEqual({ name: null, start_date_time: date, end_date_time: date, description: undefined });
    expect(Object.keys(given)).toEqual(["name", "start_date_time", "end_date_time", "description"]);
  });
});
