// More services that respond wrongly: to writes, and from the first write on also to readings.
import { answer, type Lie, later, nextLead, nothing, readRecord, refuse, type Values } from "./lie.ts";

type Write = Parameters<Lie>[0];

const storesLater =
  (ms: number, respond: (write: Write) => Response | Promise<Response>): Lie =>
  async (write) => {
    later(write.sandbox, ms, () => write.send());
    return respond(write);
  };
const stores =
  (respond: (write: Write) => Response): Lie =>
  async (write) => {
    await write.send();
    return respond(write);
  };
const limited = () => new Response("{}", { status: 429, headers: { "retry-after": "2" } });
/** Carries the write out with each text that it sends rewritten. */
const rewriting =
  (rewrite: (text: string) => string): Lie =>
  ({ send, body }) =>
    send(
      Object.fromEntries(
        Object.entries(body).map(([name, value]) => [
          name,
          typeof value === "string" && !["status"].includes(name) ? rewrite(value) : value,
        ]),
      ),
    );
const asQuestions = (text: string) => text.replace(/[^ -ÿ]/g, "?");
const withoutAccents = (text: string) => text.normalize("NFKD").replace(/[\u0300-\u036F]/g, "");
const LETTERS = Object.fromEntries(
  [..."αβγδεζηικλμνορστυωабвгдеиклмнорстуя"].map((letter, at) => [letter, "abgdeziiklmnorstuoabvgdeiklmnorstuy"[at]]),
);
const transliterated = (text: string) =>
  [...withoutAccents(text).toLowerCase()].map((letter) => LETTERS[letter] ?? letter).join("");
const LETTER_LIES: Readonly<Record<string, Lie>> = {
  "letters of other scripts as question marks": rewriting(asQuestions),
  "letters of other scripts transliterated": rewriting(transliterated),
  "letters without accents": rewriting(withoutAccents),
  "letters in capitals": rewriting((text) => text.toUpperCase()),
  "letters decomposed": rewriting((text) => text.normalize("NFD")),
};
const READING_LIES: Readonly<Record<string, Lie>> = {
  "success, and one reading of five ends with 404": async ({ send, breakReadings }) => {
    breakReadings("one of five ends with 404");
    return send();
  },
  "success, and readings of one record end with 403": async ({ send, breakReadings }) => {
    breakReadings("one record ends with 403");
    return send();
  },
  "success, and lists show every other record": async ({ send, breakReadings }) => {
    breakReadings("lists show every other record");
    return send();
  },
  "success, and lists end early": async ({ send, breakReadings }) => {
    breakReadings("lists end early");
    return send();
  },
};

/** Changes the lead that was just created, so many milliseconds later. */
const automation =
  (ms: number, change: (sandbox: Write["sandbox"], id: number) => unknown): Lie =>
  async ({ sandbox, send }) => {
    const response = await send();
    const id = nextLead(sandbox) - 1;
    if (ms === 0) change(sandbox, id);
    else later(sandbox, ms, () => sandbox.store.leads.get(id) && change(sandbox, id));
    return response;
  };
const edited = (sandbox: Write["sandbox"]) => ({ updated_at: new Date(sandbox.clock.now()).toISOString() });
const copyOf = (sandbox: Write["sandbox"], id: number) => {
  const { id: _, ...copied } = { ...sandbox.store.leads.get(id) };
  return sandbox.store.leads.insert(copied as never);
};

export const MORE_CREATES: Readonly<Record<string, Lie>> = {
  ...LETTER_LIES,
  ...READING_LIES,
  "its id alone": async ({ send }) => answer({ id: ((await (await send()).json()) as Values).id }, 201),
  "its record with every field empty": async ({ send }) => {
    const { id, created_at } = (await (await send()).json()) as Values;
    return answer({ id, created_at, title: null, company_name: null, status: null }, 201);
  },
  "its record with the fields of another": async ({ sandbox, request, send, theirs }) => {
    const { id } = (await (await send()).json()) as Values;
    return answer({ ...(await readRecord(sandbox, request, theirs[0] ?? 0)), id }, 201);
  },
  "a refusal with 422, and stores it 30 s later": storesLater(30_000, () => refuse(422)),
  "a refusal with 403, and stores it": stores(() => refuse(403)),
  "a refusal with 404, and stores it": stores(() => refuse(404)),
  "429, and stores it": stores(limited),
  "500, and stores it": stores(() => nothing(500)),
  "503, and stores it 30 s later": storesLater(30_000, () => nothing(503)),
  "202 without a body, and stores it 30 s later": storesLater(30_000, () => nothing(202)),
  "success with a refusal as its body, and stores it": stores(() => answer({ errors: { base: ["no"] } }, 200)),
  "success, and an automation renames it at once": automation(0, (sandbox, id) =>
    sandbox.store.leads.update(id, { title: "Renamed", ...edited(sandbox) }),
  ),
  "success, and an automation renames it a moment later": automation(100, (sandbox, id) =>
    sandbox.store.leads.update(id, { title: "Renamed", ...edited(sandbox) }),
  ),
  "success, and an automation copies it at once": automation(0, copyOf),
  "success, and an automation copies it a moment later": automation(100, copyOf),
  "success, and an automation deletes it a moment later": automation(100, (sandbox, id) =>
    sandbox.store.leads.delete(id),
  ),
  "success, and an automation merges it into another a moment later": automation(100, (sandbox, id) => {
    const [first] = sandbox.store.leads.filter((one) => one.title === "Theirs one");
    sandbox.store.leads.update(first?.id ?? 0, { phone: String(sandbox.store.leads.get(id)?.title) });
    sandbox.store.leads.delete(id);
  }),
  "success, and it moves to another id": automation(0, (sandbox, id) => {
    copyOf(sandbox, id);
    sandbox.store.leads.delete(id);
  }),
  "success, and its id becomes another's a moment later": automation(100, (sandbox, id) => {
    copyOf(sandbox, id);
    sandbox.store.leads.delete(id);
    sandbox.store.leads.insert({ id, title: "Theirs new", status: "prospect", company_name: "Theirs" } as never);
  }),
};

const setting =
  (ms: number, values: (write: Write, before: Values) => Values): Lie =>
  async (write) => {
    const { sandbox, id } = write;
    const before = { ...sandbox.store.users.get(id) };
    const response = await write.send();
    const set = () => sandbox.store.users.update(id, { ...values(write, before), ...edited(sandbox) } as never);
    if (ms === 0) set();
    else later(sandbox, ms, set);
    return response;
  };

export const MORE_UPDATES: Readonly<Record<string, Lie>> = {
  ...LETTER_LIES,
  ...READING_LIES,
  "its id alone": async ({ id, send }) => send().then(() => answer({ id })),
  "its record with every field empty": async ({ id, send }) =>
    send().then(() => answer({ id, first_name: null, last_name: null, email: null })),
  "its record with the fields of another": async ({ sandbox, request, id, send, theirs }) => {
    await send();
    return answer({ ...(await readRecord(sandbox, request, theirs[0] ?? 0)), id });
  },
  "a refusal with 422, and stores it 30 s later": storesLater(30_000, () => refuse(422)),
  "429, and stores it": stores(limited),
  "500, and stores it": stores(() => nothing(500)),
  "503, and stores it 30 s later": storesLater(30_000, () => nothing(503)),
  "202 without a body, and stores it 30 s later": storesLater(30_000, () => nothing(202)),
  "success with a refusal as its body, and stores it": stores(() => answer({ errors: { base: ["no"] } })),
  "success, and an automation writes a sent field otherwise at once": setting(0, () => ({ first_name: "Automatic" })),
  "success, and an automation sets it back a moment later": setting(100, (_, { first_name, last_name }) => ({
    first_name,
    last_name,
  })),
  "success, and stores it in the next record as well": async ({ sandbox, body, send, theirs }) => {
    sandbox.store.users.update(theirs[0] ?? 0, { ...body, ...edited(sandbox) } as never);
    return send();
  },
  "success, and the record moves to another id": async ({ sandbox, id, send }) => {
    const response = await send();
    const { id: _, ...moved } = { ...sandbox.store.users.get(id) };
    sandbox.store.users.delete(id);
    sandbox.store.users.insert(moved as never);
    return response;
  },
  "success, and its id becomes another's": async ({ sandbox, id, send }) => {
    const response = await send();
    sandbox.store.users.delete(id);
    sandbox.store.users.insert({ id, first_name: "Theirs", last_name: "New", ...createdNow(sandbox) } as never);
    return response;
  },
};
const createdNow = (sandbox: Write["sandbox"]) => ({ created_at: new Date(sandbox.clock.now()).toISOString() });

export const MORE_DELETES: Readonly<Record<string, Lie>> = {
  ...READING_LIES,
  "429, and deletes it": stores(limited),
  "500, and deletes it": stores(() => nothing(500)),
  "404, and deletes it": stores(() => refuse(404)),
  "404, and deletes nothing": async () => refuse(404),
  "503, and deletes it 30 s later": storesLater(30_000, () => nothing(503)),
  "202 without a body, and deletes it 30 s later": storesLater(30_000, () => nothing(202)),
  "a refusal with 403, and deletes it 30 s later": storesLater(30_000, () => refuse(403)),
  "204, and it comes back a moment later": async ({ sandbox, id, send }) => {
    const record = { ...sandbox.store.leads.get(id) };
    const response = await send();
    later(sandbox, 100, () => sandbox.store.leads.insert(record as never));
    return response;
  },
  "500, deletes it, and its id becomes another's": async ({ sandbox, id, send }) => {
    await send();
    sandbox.store.leads.insert({ id, title: "Theirs new", company_name: "Theirs", ...createdNow(sandbox) } as never);
    return nothing(500);
  },
};
