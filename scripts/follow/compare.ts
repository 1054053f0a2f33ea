import {
  APIS,
  type ApiName,
  type Contract,
  type Contracts,
  type OperationFacts,
  type Spec,
  type Specs,
} from "./contract.ts";

/**
 * The cost of a fact for users, as docs/guides/upgrading.md lists it. `review`: code may need a change, although the
 * release is a minor one. `patch`: calls fail without the release.
 */
export type Severity = "major" | "review" | "minor" | "patch";

/** The beginning of a fact's line in a changeset, by severity; the most expensive ones first. */
export const NEEDS: Readonly<Record<Severity, string>> = {
  major: "**Needs a change in your code**: ",
  review: "**May need a change in your code**: ",
  ...{ minor: "", patch: "" },
};

/** One difference between two descriptions of the service. */
export interface Fact {
  readonly kind: string;
  /** The place of the difference, such as `Account.mood`, `LeadStatus.won` or `accounts.list query.mood`. */
  readonly where: string;
  readonly severity: Severity;
  /** A sentence for users, without the full stop. */
  readonly words: string;
  readonly apis: readonly ApiName[];
  /** True if another API has the same record or operation without this difference. */
  readonly isPartial?: boolean;
  /** The record, enumeration or operation; `name` is its field, value or part. */
  readonly of: string;
  readonly name: string;
  readonly spec?: Spec | undefined;
  readonly was?: Spec | undefined;
  /** True for a field that is sent. */
  readonly isInput?: boolean;
  readonly row?: OperationFacts | undefined;
  /** The fields of a new record or input, or the values of a new enumeration. */
  readonly all?: Specs | readonly string[] | undefined;
}

/**
 * Compares two descriptions. If operations and fields agree, the new description's names are replaced by the old ones.
 */
export function compare(before: Contracts, after: Contracts): Fact[] {
  const facts = new Map<string, Fact>();
  const twinOf = (contracts: Contracts, api: ApiName) => contracts[TWINS[api] ?? api] ?? NOTHING;
  const named: Contracts = Object.fromEntries(
    APIS.flatMap((api) => {
      const [old, fresh] = [before[api], after[api]];
      const operations = { ...twinOf(before, api).operations, ...old?.operations };
      return old && fresh ? [[api, withKnownNames({ ...old, operations }, fresh)]] : [];
    }),
  );
  for (const api of APIS) {
    const [own, now] = [before[api], named[api]];
    if (!own || !now) continue;
    const twin = { before: twinOf(before, api), after: twinOf(named, api) };
    const [old, fresh] = [withShapesOf(own, twin.before, now), withShapesOf(now, twin.after, own)];
    for (const fact of new Comparison(old, fresh, api, twin).facts) {
      const same = facts.get(`${fact.kind} ${fact.where}`);
      facts.set(`${fact.kind} ${fact.where}`, same ? { ...same, apis: [...same.apis, api] } : fact);
    }
  }
  for (const [key, fact] of facts) {
    const others = APIS.filter((api) => after[api] && !fact.apis.includes(api));
    const holds = ({ records, operations }: Contract) => Object.hasOwn({ ...records, ...operations }, fact.of);
    if (others.some((api) => holds(before[api] ?? NOTHING))) facts.set(key, { ...fact, isPartial: true });
  }
  const order = Object.keys(NEEDS);
  return [...facts.values()].sort((one, other) => order.indexOf(one.severity) - order.indexOf(other.severity));
}

export const BUMPS = ["major", "minor", "patch"] as const;

/** The smallest version bump that a release with these facts may have; null if there are none. */
export function bumpOf(facts: readonly Fact[]): "major" | "minor" | "patch" | null {
  const found = facts.map(({ severity }) => (severity === "review" ? "minor" : severity));
  return BUMPS.find((one) => found.includes(one)) ?? null;
}

const TWINS: Readonly<Partial<Record<ApiName, ApiName>>> = { main: "admin", admin: "main" };

// The Main and Admin APIs share records: a record that a new operation brings from one to the other is not new.
function withShapesOf(contract: Contract, theirs: Contract, other: Contract): Contract {
  const widened = (["records", "payloads", "values"] as const).map((part) => {
    const shared = Object.entries(theirs[part]).filter(([name]) => Object.hasOwn(other[part], name));
    return [part, { ...Object.fromEntries(shared), ...contract[part] }];
  });
  return { ...contract, ...(Object.fromEntries(widened) as Pick<Contract, "records" | "payloads" | "values">) };
}

const NOTHING: Contract = { operations: {}, records: {}, payloads: {}, values: {} };
const upper = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
const requestOf = ({ method, path }: OperationFacts) => `${method} ${path.replace(/\{\w+\}/g, "{}")}`;
const recordIn = (type: string | null) => /^(?:array<)?([A-Z]\w*)/.exec(type ?? "")?.[1] ?? null;

// Other authors' documents use their own names for operations and schemas. The request identifies an operation, and its
// place in the request or response identifies a record.
function withKnownNames(old: Contract, fresh: Contract): Contract {
  const byRequest = new Map(Object.values(old.operations).map((row) => [requestOf(row), row]));
  const names = new Map<string, string>();
  const pair = (theirs: string | null, ours: string | null): void => {
    const [name, known] = [recordIn(theirs), recordIn(ours)];
    if (name === null || known === null || names.has(name)) return;
    names.set(name, known);
    for (const [field, { type }] of Object.entries(fresh.records[name] ?? {}))
      pair(type, old.records[known]?.[field]?.type ?? null);
  };
  for (const row of Object.values(fresh.operations)) {
    const known = byRequest.get(requestOf(row)) ?? old.operations[row.id];
    if (!known) continue;
    pair(row.response, known.response);
    for (const [field, { type }] of Object.entries(row.body ?? {})) pair(type, known.body?.[field]?.type ?? null);
  }
  const text = JSON.stringify(fresh, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value).map(([key, inner]) => [names.get(key) ?? key, renamed(key, inner, names)]),
        )
      : value,
  );
  const read = JSON.parse(text) as Contract;
  const operations = Object.values(read.operations).map((row) => {
    const { id, path } = byRequest.get(requestOf(row)) ?? row;
    return [id, { ...row, id, ...(requestOf({ ...row, path }) === requestOf(row) && { path }) }] as const;
  });
  return { ...read, operations: Object.fromEntries(operations) };
}

function renamed(key: string, value: unknown, names: ReadonlyMap<string, string>): unknown {
  if ((key !== "type" && key !== "response") || typeof value !== "string") return value;
  return value.replace(/\b[A-Z]\w*/g, (name) => names.get(name) ?? name);
}

class Comparison {
  readonly facts: Fact[] = [];
  readonly #api: ApiName;

  constructor(old: Contract, fresh: Contract, api: ApiName, twin: { before: Contract; after: Contract }) {
    this.#api = api;
    this.#records(old.records, fresh.records, "record");
    this.#records(old.payloads, fresh.payloads, "input");
    for (const [name, values] of Object.entries(fresh.values)) {
      const known = old.values[name];
      if (!known) this.#say("enumeration new", name, "minor", `\`${name}\` is new`, name, "", { all: values });
      for (const value of known ? values : []) {
        if (!known?.includes(value))
          this.#say("value new", `${name}.${value}`, "minor", `\`${name}\` has the value \`${value}\``, name, value);
      }
      for (const value of known ?? []) {
        if (!values.includes(value))
          this.#say(
            "value gone",
            `${name}.${value}`,
            "major",
            `\`${name}\` no longer has the value \`${value}\``,
            name,
            value,
          );
      }
    }
    for (const row of Object.values(fresh.operations)) {
      const known = old.operations[row.id] ?? twin.before.operations[row.id];
      if (known !== old.operations[row.id])
        this.#say("api new", row.id, "minor", `\`${row.id}\` is in the ${upper(api)} API now`, row.id, "", { row });
      this.#operation(known, row);
    }
    for (const row of Object.values(old.operations)) {
      if (fresh.operations[row.id]) continue;
      if (twin.after.operations[row.id])
        this.#say("api gone", row.id, "major", `\`${row.id}\` is no longer in the ${upper(api)} API`, row.id, "", {
          row,
        });
      else
        this.#say("operation gone", row.id, "major", `\`${row.id}\` is gone: calls no longer compile`, row.id, "", {
          row,
        });
    }
  }

  #records(old: Contract["records"], fresh: Contract["records"], kind: "record" | "input"): void {
    for (const name of new Set([...Object.keys(old), ...Object.keys(fresh)])) {
      const [known, now] = [old[name], fresh[name]];
      // Bodies are compared as parts of their operations.
      if (!known && now) this.#say(`${kind} new`, name, "minor", `\`${name}\` is new`, name, "", { all: now });
      else if (!now) this.#say(`${kind} gone`, name, "major", `\`${name}\` is gone`, name, "");
      else if (known) this.#fields(known, now, `${name}.`, name, kind);
    }
  }

  #fields(old: Specs, fresh: Specs, prefix: string, of: string, kind: "record" | "input"): void {
    for (const name of new Set([...Object.keys(old), ...Object.keys(fresh)])) {
      const [was, spec] = [old[name], fresh[name]];
      const say = (what: string, severity: Severity, words: string) =>
        this.#say(what, prefix + name, severity, words, of, name, { spec, was, isInput: kind === "input" });
      const [owner = "", part] = prefix.replace(/\.$/, "").split(" ");
      const place = `${part === "query" ? "the filter " : ""}\`${name}\` of ${part ? `\`${owner}\`` : owner}`;
      if (!was && spec) {
        if (spec.required) say("field new", "major", `${place} must be sent now: add it to each call`);
        else say("field new", "minor", `${place} is new`);
      } else if (was && !spec) say("field gone", "major", `${place} is gone: code that names it no longer compiles`);
      else if (was && spec) {
        const [type, before] = [withoutNull(spec.type), withoutNull(was.type)];
        if (part === "query" && type === `array<${before}>`) say("type", "minor", `${place} takes several values now`);
        else if (type !== before) say("type", "major", `${place} is ${type} now, not ${before}`);
        const [isNull, wasNull] = [type !== spec.type, before !== was.type];
        const widens = kind === "record" ? "review" : "minor";
        const narrows = kind === "record" ? "minor" : "major";
        if (isNull && !wasNull) say("null", widens, `${place} can be null${kind === "record" ? ": check for it" : ""}`);
        if (!isNull && wasNull) say("not null", narrows, `${place} is never null`);
        if (spec.optional && !was.optional) say("optional", "review", `${place} can be missing: check for undefined`);
        if (!spec.optional && was.optional) say("always", "minor", `${place} is always there`);
        if (spec.required && !was.required) say("required", "major", `${place} must be sent now: add it to each call`);
        if (!spec.required && was.required) say("not required", "minor", `${place} may be left out`);
        if (spec.deprecated && !was.deprecated) say("deprecated", "minor", `${place} is deprecated`);
        if (!spec.deprecated && was.deprecated) say("not deprecated", "minor", `${place} is no longer deprecated`);
      }
    }
  }

  #operation(old: OperationFacts | undefined, row: OperationFacts): void {
    const { id } = row;
    const say = (kind: string, severity: Severity, words: string) =>
      this.#say(kind, id, severity, words, id, "", { row });
    if (!old) {
      say("operation new", "minor", `\`${id}\` is new`);
      return;
    }
    if (old.path !== row.path || old.method !== row.method)
      say("path", "patch", `\`${id}\` uses the service's new path; without this version it gets a 404`);
    if (old.response !== row.response) say("response", "major", `\`${id}\` returns ${row.response ?? "nothing"} now`);
    if (old.status !== row.status) say("status", "patch", `\`${id}\` succeeds with ${row.status}`);
    if (old.beta !== row.beta) say("beta", "minor", `\`${id}\` is ${row.beta ? "in beta" : "no longer in beta"}`);
    if (old.deprecated !== row.deprecated)
      say("deprecation", "minor", `\`${id}\` is ${row.deprecated ? "" : "no longer "}deprecated`);
    if (old.feature !== row.feature)
      say(
        "feature",
        "review",
        `\`${id}\` ${row.feature ? `needs the feature flag "${row.feature}"` : "needs no feature flag"}`,
      );
    if (String([...old.scopes].sort()) !== String([...row.scopes].sort()))
      say("scopes", "review", `\`${id}\` needs a key with ${row.scopes.join(", ") || "no scope"}`);
    this.#fields(old.query, row.query, `${id} query.`, id, "input");
    if ((old.body === null) !== (row.body === null))
      say("body", "major", `\`${id}\` takes ${row.body ? "a" : "no"} body now`);
    else this.#fields(old.body ?? {}, row.body ?? {}, `${id} body.`, id, "input");
  }

  #say(
    kind: string,
    where: string,
    severity: Severity,
    words: string,
    of: string,
    name: string,
    more: Partial<Fact> = {},
  ): void {
    this.facts.push({ kind, where, severity, words, apis: [this.#api], of, name, ...more });
  }
}

const withoutNull = (type: string) => type.replace(/\|null$/, "");
