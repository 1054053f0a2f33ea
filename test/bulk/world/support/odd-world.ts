import { type Kind, REWRITES } from "./kinds.ts";

/** The outcome of one write instead of the usual success. */
export interface Deviation {
  /** An error status, or no response: either the connection ends, or nothing comes until the client gives up. */
  readonly response: "lost" | "never" | 500 | 503;
  /** Whether the service carries the request out anyway. */
  readonly done: boolean;
}

/** The settings of a new service. */
export interface WorldSetup {
  readonly kind: Kind;
  /** The number of records in each list before the first plan. */
  readonly existing: number;
  /** The deviations, by the number of the write, counted from 1. */
  readonly deviations: Readonly<Record<number, Deviation>>;
}

/** A request as the service received it. */
export interface Logged {
  readonly at: number;
  readonly method: string;
  readonly resource: string;
  readonly id: number | null;
  readonly body: Readonly<Record<string, unknown>>;
  readonly response: number | "lost" | "never";
}

/** The effect of a request: it created, changed or deleted a record. */
export interface CarriedOut {
  readonly what: "create" | "update" | "delete";
  readonly id: number;
  readonly at: number;
  /** The key that the request sent; null unless it created a record. */
  readonly key: string | null;
  readonly isCopy: boolean;
  /** The time from which lists may show the record; null if they never do, and for changes. */
  readonly shownFrom: number | null;
}

/** Everything that happened in a service. */
export interface WorldLog {
  readonly requests: readonly Logged[];
  readonly carriedOut: readonly CarriedOut[];
  readonly records: Readonly<Record<string, readonly Stored[]>>;
}

export interface Reply {
  readonly status: number | "lost" | "never";
  readonly body?: unknown;
  readonly link?: string;
}

interface Stored {
  readonly id: number;
  readonly shownFrom: number;
  values: Record<string, unknown>;
}

/** The field that identifies the records of a list. */
const KEY_FIELD: Readonly<Record<string, string>> = { leads: "title", labels: "name" };

// Small, so that lists have several pages, and reading only the last ones differs from reading all.
const LARGEST_PAGE = 10;

const BLANK: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  leads: {
    creation_method: "api",
    referral_text: null,
    title: "",
    account_id: null,
    user_id: null,
    value: null,
    company_name: null,
    first_name: null,
    middle_name: null,
    last_name: null,
    administrator_id: null,
    email: null,
    phone: null,
    status: "prospect",
    quality: null,
    wants_newsletter: false,
    address: null,
    courses_leads: [],
    lead_products: [],
    label_ids: [],
  },
  labels: { name: "", color: "#336699", model_type: "Lead" },
};

/** An odd service: its records, its oddities and the requests that it received. Each request states its own time. */
export class OddWorld {
  readonly #setup: WorldSetup;
  readonly #records = new Map<string, Stored[]>();
  readonly #requests: Logged[] = [];
  readonly #carriedOut: CarriedOut[] = [];
  #later: { readonly at: number; readonly work: () => void }[] = [];
  #writes = 0;
  #creates = 0;
  #id = 100;

  constructor(setup: WorldSetup) {
    this.#setup = setup;
    for (const resource of Object.keys(BLANK)) {
      for (let n = 1; n <= setup.existing; n++) {
        const number = setup.kind.order === "name" ? (n * 7) % 16 : n;
        this.#insert(resource, { [KEY_FIELD[resource] ?? ""]: `Old ${100 + number}` }, 0, 0);
      }
    }
  }

  /** Carries out everything that is due by this time. */
  goTo(at: number): void {
    const due = this.#later.filter((work) => work.at <= at).sort((a, b) => a.at - b.at);
    this.#later = this.#later.filter((work) => work.at > at);
    for (const { work } of due) work();
  }

  log(): WorldLog {
    return { requests: this.#requests, carriedOut: this.#carriedOut, records: Object.fromEntries(this.#records) };
  }

  handle(method: string, url: URL, body: Record<string, unknown>, at: number): Reply {
    this.goTo(at);
    const [, resource = "", id] = /\/(leads|labels)(?:\/(\d+))?$/.exec(url.pathname) ?? [];
    const reply = BLANK[resource] ? this.#answer(method, resource, Number(id ?? 0), url, body, at) : NOT_FOUND;
    this.#requests.push({ at, method, resource, id: id ? Number(id) : null, body, response: reply.status });
    return reply;
  }

  #answer(method: string, resource: string, id: number, url: URL, body: Record<string, unknown>, at: number): Reply {
    if (method === "GET" && id === 0) return this.#page(resource, url, at);
    const found = this.#records.get(resource)?.find((record) => record.id === id);
    if (method !== "POST" && !found) return NOT_FOUND;
    if (method === "GET") return { status: 200, body: bodyOf(found) };
    const deviation = this.#setup.deviations[++this.#writes];
    const { kind } = this.#setup;
    if (deviation && kind.refusesWith200) {
      return { status: 200, body: { errors: { base: ["is not possible now"] }, code: 422, message: "Not now" } };
    }
    const carryOut = (when: number, isCopy: boolean) =>
      method === "POST"
        ? this.#create(resource, body, when, isCopy)
        : method === "PUT"
          ? this.#update(found as Stored, body, when)
          : this.#delete(resource, found as Stored, when);
    const isCopied = method === "POST" && kind.copiesAfterMs !== undefined && ++this.#creates % 2 === 0;
    const copy = (from: number) =>
      isCopied && this.#at(from + (kind.copiesAfterMs ?? 0), (when) => carryOut(when, true));
    if (!deviation) {
      const record = carryOut(at, false);
      copy(at);
      this.goTo(at);
      return method === "DELETE" ? { status: 204 } : { status: method === "POST" ? 201 : 200, body: bodyOf(record) };
    }
    if (deviation.done) {
      const from = at + (kind.commitsAfterMs ?? 0);
      this.#at(from, (when) => carryOut(when, false));
      copy(from);
      this.goTo(at);
    }
    if (kind.saysNothing) return { status: method === "POST" ? 201 : 200, body: {} };
    const status = deviation.response;
    return typeof status === "number" ? { status, body: { errors: {}, code: status, message: "No" } } : { status };
  }

  #at(at: number, work: (at: number) => void): void {
    this.#later.push({ at, work: () => work(at) });
  }

  #create(resource: string, body: Record<string, unknown>, at: number, isCopy: boolean): Stored {
    const { kind } = this.#setup;
    const field = KEY_FIELD[resource] ?? "";
    const key = String(body[field]);
    const values = { ...body, [field]: kind.stores ? REWRITES[kind.stores](key) : key };
    const drawn = hash(this.#id + 1);
    const isHidden =
      kind.hidden === "all" ||
      (kind.hidden === "some" && drawn % 3 === 0) ||
      (kind.hidden === "status" && (body.status === "archive" || body.model_type === "Order"));
    const late = kind.behind?.per === "record" ? drawn % kind.behind.ms : (kind.behind?.ms ?? 0);
    const record = this.#insert(resource, values, at, isHidden ? Number.POSITIVE_INFINITY : at + late);
    const shownFrom = isHidden ? null : record.shownFrom;
    this.#carriedOut.push({ what: "create", id: record.id, at, key, isCopy, shownFrom });
    return record;
  }

  #insert(resource: string, values: Record<string, unknown>, at: number, shownFrom: number): Stored {
    const time = new Date(at || Date.UTC(2025, 0, 1)).toISOString();
    const id = ++this.#id;
    const record = { id, shownFrom, values: { ...BLANK[resource], ...values, created_at: time, updated_at: time } };
    this.#records.set(resource, [...(this.#records.get(resource) ?? []), record]);
    return record;
  }

  #update(record: Stored, body: Record<string, unknown>, at: number): Stored {
    const stored = this.#setup.kind.capitals
      ? Object.fromEntries(Object.entries(body).map(([name, value]) => [name, upper(value)]))
      : body;
    record.values = { ...record.values, ...stored, updated_at: new Date(at).toISOString() };
    this.#carriedOut.push({ what: "update", id: record.id, at, key: null, isCopy: false, shownFrom: null });
    return record;
  }

  #delete(resource: string, record: Stored, at: number): Stored {
    const rest = (this.#records.get(resource) ?? []).filter(({ id }) => id !== record.id);
    this.#records.set(resource, rest);
    this.#carriedOut.push({ what: "delete", id: record.id, at, key: null, isCopy: false, shownFrom: null });
    return record;
  }

  #page(resource: string, url: URL, at: number): Reply {
    const asked = url.searchParams;
    const ids = asked.getAll("id").map(Number);
    const order = this.#order(resource);
    const all = (this.#records.get(resource) ?? [])
      .filter((record) => record.shownFrom <= at)
      .filter(({ id }) => ids.length === 0 || ids.includes(id))
      .filter(({ values }) => !asked.has("email") || values.email === asked.get("email"))
      .sort((a, b) => compare(order(a), order(b)));
    const size = Math.min(Number(asked.get("per_page") ?? LARGEST_PAGE), LARGEST_PAGE);
    const cursor = asked.get("cursor");
    const after: Place = cursor === null ? [] : (JSON.parse(Buffer.from(cursor, "base64url").toString()) as Place);
    const rest = cursor === null ? all : all.filter((record) => compare(order(record), after) > 0);
    const page = rest.slice(0, size);
    const last = page.at(-1);
    const reply = { status: 200, body: page.map(bodyOf) };
    if (!last || rest.length <= size) return reply;
    const next = new URL(url);
    next.searchParams.set("cursor", Buffer.from(JSON.stringify(order(last))).toString("base64url"));
    return { ...reply, link: `<${next.href}>; rel="next"` };
  }

  #order(resource: string): (record: Stored) => Place {
    const { order } = this.#setup.kind;
    const field = KEY_FIELD[resource] ?? "";
    return ({ id, values }) =>
      order === "name" || order === "name, by chance as identifiers"
        ? [String(values[field]), id]
        : order === "newest"
          ? [-id]
          : order === "random"
            ? [hash(id), id]
            : [id];
  }
}

type Place = readonly (string | number)[];

const NOT_FOUND: Reply = { status: 404, body: { errors: {}, code: 404, message: "Not Found" } };

function compare(a: Place, b: Place): number {
  for (const [at, left] of a.entries()) {
    const right = b[at] ?? 0;
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

function bodyOf(record: Stored | undefined): unknown {
  return record && { id: record.id, ...record.values };
}

function upper(value: unknown): unknown {
  return typeof value === "string" ? value.toUpperCase() : value;
}

function hash(number: number): number {
  return Math.imul(number ^ 0x5bd1e995, 0x9e3779b1) >>> 4;
}
