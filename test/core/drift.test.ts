import { describe, expect, it, vi } from "vitest";
import type { ClientOptions, DriftEvent, MainClient, ResponseValidationError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure } from "../support/manual-clock.js";
import { accountRecord, contactRecord, courseRecord, invoiceRecord } from "../support/records.js";

type Wire = Record<string, unknown>;

const CANARY = "canary-value-4711";

interface Subject {
  readonly operation: string;
  readonly list: string;
  readonly record: () => Wire;
  readonly get?: (client: MainClient, options?: object) => PromiseLike<unknown>;
  readonly all: (client: MainClient, options?: object) => Promise<unknown[]>;
  /** Changes to a record, each with the field and the kind of the drift that the client must report. */
  readonly mutations: readonly [
    what: string,
    change: (record: Wire) => void,
    field: string,
    kind: DriftEvent["kind"],
  ][];
}

const setField = (name: string, value: unknown) => (record: Wire) => {
  record[name] = value;
};
const valueAt = (record: Wire, ...path: (string | number)[]) =>
  path.reduce<Wire>((value, key) => value[key] as Wire, record);
const drop = (name: string) => (record: Wire) => {
  delete record[name];
};

const subjects: Subject[] = [
  {
    operation: "accounts.get",
    list: "accounts.list",
    record: () => ({ ...accountRecord() }),
    get: (client, options) => client.accounts.get(7, options),
    all: (client, options) => client.accounts.list({}, options).toArray(),
    mutations: [
      ["an extra key", setField("nickname", CANARY), "nickname", "unknown_field"],
      [
        "an extra key deep inside",
        (record) => setField("floor", CANARY)(valueAt(record, "address")),
        "address.floor",
        "unknown_field",
      ],
      ["an unknown enumeration value", setField("account_type", CANARY), "account_type", "unknown_value"],
      ["null where none may be", setField("slug", null), "slug", "unexpected_null"],
      ["a required field dropped", drop("users_count"), "users_count", "missing_field"],
      ["text for a number", setField("id", "7"), "id", "wrong_type"],
      ["a number for text", setField("name", 4711), "name", "wrong_type"],
      ["a fraction for a whole number", setField("users_count", 1.5), "users_count", "wrong_type"],
      ["text among numbers", setField("label_ids", [1, CANARY, 3]), "label_ids[]", "wrong_type"],
      ["an object for null or text", setField("phone", { number: CANARY }), "phone", "wrong_type"],
    ],
  },
  {
    operation: "invoices.get",
    list: "invoices.list",
    record: () => ({ ...invoiceRecord() }),
    get: (client, options) => client.invoices.get(9, options),
    all: (client, options) => client.invoices.list({}, options).toArray(),
    mutations: [
      [
        "an extra key in an item",
        (r) => setField("note", CANARY)(valueAt(r, "invoice_items", 0)),
        "invoice_items[].note",
        "unknown_field",
      ],
      ["an unknown status", setField("status", CANARY), "status", "unknown_value"],
      ["null for the items", setField("invoice_items", null), "invoice_items", "unexpected_null"],
      [
        "an item without its price",
        (r) => drop("unit_price")(valueAt(r, "invoice_items", 0)),
        "invoice_items[].unit_price",
        "missing_field",
      ],
      ["a number for an amount", setField("total_incl", 121), "total_incl", "wrong_type"],
      ["an object for the items", setField("invoice_items", {}), "invoice_items", "wrong_type"],
    ],
  },
  {
    operation: "courses.get",
    list: "courses.list",
    record: () => ({ ...courseRecord() }),
    get: (client, options) => client.courses.get(5, options),
    all: (client, options) => client.courses.list({}, options).toArray(),
    mutations: [
      ["an extra key", setField("teaser", CANARY), "teaser", "unknown_field"],
      ["an unknown cost scheme", setField("cost_scheme", CANARY), "cost_scheme", "unknown_value"],
      ["null for a flag", setField("is_published", null), "is_published", "unexpected_null"],
      ["no code", drop("code"), "code", "missing_field"],
      ["text for a flag", setField("is_published", "true"), "is_published", "wrong_type"],
    ],
  },
  {
    operation: "organization.contacts.list",
    list: "organization.contacts.list",
    record: () => ({ ...contactRecord() }),
    all: (client, options) => client.organization.contacts.list({}, options).toArray(),
    mutations: [
      ["an extra key", setField("title", CANARY), "title", "unknown_field"],
      ["null for the id", setField("id", null), "id", "unexpected_null"],
      ["no e-mail", drop("email"), "email", "missing_field"],
      ["a number for a name", setField("last_name", 4711), "last_name", "wrong_type"],
    ],
  },
];

/** A client whose service responds with the results of `answer`, and the drift events that the client reports. */
function answering(answer: () => unknown, options: ClientOptions = {}) {
  const events: DriftEvent[] = [];
  const { fetch } = recordingFetch(() => jsonResponse(answer()));
  const client = mainClient({ fetch, on: { drift: (event) => events.push(event) }, ...options });
  return { client, events };
}

for (const { operation, list, record, get, all, mutations } of subjects) {
  describe(`${operation} with a record that differs in`, () => {
    for (const [what, change, field, kind] of mutations) {
      const mutate = () => {
        const copy = record();
        change(copy);
        return copy;
      };

      it(`${what}: report returns it unchanged and reports it once, without values`, async () => {
        if (get) {
          const { client, events } = answering(mutate);
          for (let time = 0; time < 3; time++) expect(await get(client)).toEqual(mutate());
          expect(events).toEqual([expect.objectContaining({ operation, method: "GET", field, kind })]);
          expect(JSON.stringify(events)).not.toContain("4711");
        }
        const { client, events } = answering(() => Array.from({ length: 5 }, mutate));
        for (let time = 0; time < 3; time++) expect(await all(client)).toEqual(Array.from({ length: 5 }, mutate));
        expect(events).toEqual([expect.objectContaining({ operation: list, field, kind })]);
        expect(JSON.stringify(events)).not.toContain("4711");
      });

      it(`${what}: off checks nothing`, async () => {
        const { client, events } = answering(() => [mutate()], { validation: "off" });
        expect(await all(client)).toEqual([mutate()]);
        expect(events).toEqual([]);
      });

      if (kind === "unknown_field") {
        it(`${what}: strict returns it unchanged and reports it once, like report`, async () => {
          const { client, events } = answering(() => Array.from({ length: 5 }, mutate), { validation: "strict" });
          for (let time = 0; time < 3; time++) expect(await all(client)).toEqual(Array.from({ length: 5 }, mutate));
          await all(client, { validation: "report" });
          expect(events).toEqual([expect.objectContaining({ operation: list, field, kind })]);
        });
        continue;
      }

      it(`${what}: strict rejects with path, index, id and the raw record`, async () => {
        const records = () => Array.from({ length: 60 }, (_, at) => ({ ...(at === 57 ? mutate() : record()) }));
        const { client, events } = answering(records, { validation: "strict" });
        const error = await failure<ResponseValidationError>(all(client));
        const written = field.replace("label_ids[]", "label_ids[1]").replace("[]", "[0]");
        expect(error).toMatchObject({ code: "response_validation", operation: list, index: 57 });
        expect(error.issues.map(({ path }) => path)).toEqual([written]);
        expect(error.id).toBe(field === "id" && kind !== "wrong_type" ? null : mutate().id);
        expect(error.raw).toEqual(mutate());
        expect(error.message).toContain("record 57");
        expect(error.message).toContain(written);
        expect(error.message).not.toContain("4711");
        expect(events).toEqual([]);
      });
    }

    it("nothing: causes no event and passes strict mode", async () => {
      const { client, events } = answering(() => [record()]);
      expect(await all(client)).toEqual([record()]);
      expect(await all(client, { validation: "strict" })).toEqual([record()]);
      expect(events).toEqual([]);
    });
  });
}

describe("drift", () => {
  it("never reports a sent value as a field name", async () => {
    const email = "jan@example.org";
    const { client, events } = answering(() => ({ ...accountRecord(), [email]: 1, address: { re_Zwartendijk: 1 } }));
    await client.accounts.update(7, { name: "Zwartendijk", email });
    expect(events.map(({ field }) => field)).toEqual(expect.arrayContaining(["[no name]", "address.re_[redacted]"]));
    expect(JSON.stringify(events)).not.toMatch(/jan@example|Zwartendijk/);
    const strict = answering(() => ({ ...accountRecord(), custom: { [email]: { a: () => 1 } }, name: null }));
    const error = await failure<ResponseValidationError>(
      strict.client.accounts.update(7, { name: "A", email }, { validation: "strict" }),
    );
    expect(JSON.stringify([error.message, error.issues])).not.toContain(email);
  });

  it("that was reported in report mode is still refused in strict mode", async () => {
    const { client } = answering(() => ({ ...accountRecord(), name: null }));
    await client.accounts.get(7);
    await client.accounts.get(7);
    expect(await failure(client.accounts.get(7, { validation: "strict" }))).toMatchObject({ id: 7 });
  });

  it("follows the validation mode of the call rather than that of the client", async () => {
    const bad = { ...accountRecord(), name: null };
    const strict = answering(() => bad, { validation: "strict" });
    expect(await strict.client.accounts.get(7, { validation: "report" })).toEqual(bad);
    expect(await strict.client.accounts.get(7, { validation: "off" })).toEqual(bad);
    const off = answering(() => bad, { validation: "off" });
    expect(await failure(off.client.accounts.get(7, { validation: "strict" }))).toMatchObject({ index: null, id: 7 });
  });

  it("never changes a record: order of keys, odd keys, nulls and numbers stay as sent", async () => {
    const text = `{"z":1,"id":7,"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":null,"name":"a\\u0000b","a":1e21}`;
    const { fetch } = recordingFetch(() => new Response(text, { headers: { "content-type": "application/json" } }));
    const client = mainClient({ fetch, on: { drift: () => undefined } });
    for (let time = 0; time < 3; time++) {
      const account = await client.accounts.get(7);
      expect(JSON.stringify(account)).toBe(JSON.stringify(JSON.parse(text)));
      expect(Object.keys(account)).toContain("__proto__");
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(Object.prototype.toString).toBeTypeOf("function");
    expect(await failure(client.accounts.get(7, { validation: "strict" }))).toMatchObject({ id: 7 });
  });

  it("is reported a limited number of times if each record has another new field", async () => {
    let number = 0;
    const { client, events } = answering(() =>
      Array.from({ length: 100 }, () => ({ ...contactRecord(), [`f${number++}`]: 1 })),
    );
    for (let time = 0; time < 120; time++) await client.organization.contacts.list().toArray();
    expect(number).toBe(12_000);
    expect(events.length).toBeLessThanOrEqual(10_000);
  });
});

describe("one bad record in a hundred, in strict mode", () => {
  const hundredContacts = () =>
    Array.from({ length: 100 }, (_, at) => contactRecord(at + 1, at === 57 ? { email: 7 as never } : {}));

  it("does not end an iterator: its next call requests the page again", async () => {
    let bad = true;
    const { client } = answering(() =>
      bad ? hundredContacts() : hundredContacts().map((contact) => ({ ...contact, email: null })),
    );
    const records = client.organization.contacts.list({}, { validation: "strict" })[Symbol.asyncIterator]();
    await failure(records.next());
    bad = false;
    expect((await records.next()).value?.id).toBe(1);
  });
});

describe("without an observer", () => {
  it("drift causes one console.warn, however much differs, and none for fields that the service added", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
    const { client } = answering(() => ({ ...accountRecord(), nickname: CANARY }), { on: {} });
    await client.accounts.get(7);
    expect(warn).not.toHaveBeenCalled();
    const worse = answering(() => ({ ...accountRecord(), name: null, slug: 4711, extra: CANARY }), { on: {} });
    for (let time = 0; time < 3; time++) await worse.client.accounts.get(7);
    await worse.client.accounts.update(7, { name: "A" });
    expect(warn).toHaveBeenCalledTimes(1);
    expect(String(warn.mock.calls[0])).toContain("accounts.get");
    expect(String(warn.mock.calls[0])).not.toContain("4711");
  });
});
