import type { MainClient } from "../../../src/index.js";

// A scripted model: it starts with the question, and knows the tools only from their descriptions and results.

type Row = Readonly<Record<string, unknown>>;

/** The records of the school, read without the tools. */
export interface School {
  readonly now: number;
  readonly invoices: readonly Row[];
  readonly leads: readonly Row[];
  readonly users: readonly Row[];
  readonly enrollments: readonly Row[];
  readonly plannedCourses: readonly Row[];
  readonly attendances: readonly Row[];
  readonly orders: readonly Row[];
}

/** Calls a tool. */
export type Ask = (tool: "describe" | "read" | "count", input: object) => Promise<unknown>;

/** One field or filter that a description names. */
interface Line {
  readonly name: string;
  readonly type: string;
}

/** The description of a resource. */
class Described {
  readonly #filters: readonly Line[];
  readonly #fields: readonly Line[];

  constructor(text: string) {
    const [filters = "", fields = ""] = text.split(/^fields:$/m);
    this.#filters = linesOf(filters.split(/^filters of /m)[1] ?? "");
    this.#fields = linesOf(fields);
  }

  /** The first filter or field that matches the pattern and the type. */
  filter = (sense: RegExp, type = /./): Line => findLine(this.#filters, sense, type);
  field = (sense: RegExp, type = /./): Line => findLine(this.#fields, sense, type);
}

function linesOf(text: string): Line[] {
  return [...text.matchAll(/^- ([\w.]+): (.*)$/gm)].map(([, name = "", type = ""]) => ({ name, type }));
}

function findLine(lines: readonly Line[], sense: RegExp, type: RegExp): Line {
  const line = lines.find((one) => sense.test(one.name) && type.test(one.type) && !one.type.includes("hidden"));
  if (!line) throw new Error(`the description has no ${sense} of ${type}`);
  return line;
}

/** The enumeration value that begins with a word. */
function option({ type }: Line, sense: RegExp): string {
  return (
    type
      .match(/[\w|]+\|[\w|]+/)?.[0]
      .split("|")
      .find((one) => sense.test(one)) ?? ""
  );
}

/** A model's reaction to a description: further calls, the last of which answers the question. */
type Plan = (described: Described, ask: Ask) => Promise<unknown>;

/** A question of an administrator. */
export interface Question {
  readonly question: string;
  readonly about: keyof Omit<School, "now">;
  readonly plan: Plan;
  /** The true number of records on which the answer is based. */
  readonly records: (school: School) => number;
  /** Further requirements that the answer must meet. */
  readonly says?: (answer: Row, school: School) => boolean;
}

const count = (from: string, input: object) => (ask: Ask) => ask("count", { from, ...input });
const zone = "Europe/Amsterdam";
const dayIn = (instant: unknown) => new Date(instant as string).toLocaleDateString("sv-SE", { timeZone: zone });
const dayAfter = (now: number, days: number) => new Date(now + days * 86_400_000).toISOString().slice(0, 10);
const cents = (text: unknown) => BigInt(String(text).replace(".", ""));
const person = ({ users }: School) => users[Math.floor(users.length / 2)] as Row;
const isNamed = (one: Row, { first_name, last_name }: Row) =>
  one.first_name === first_name && one.last_name === last_name;
const sumBy = (rows: readonly Row[], key: string, amount: string) => {
  const sums = new Map<unknown, bigint>();
  for (const row of rows) sums.set(row[key], (sums.get(row[key]) ?? 0n) + cents(row[amount]));
  return sums;
};

/** The questions about a school, with their true answers. */
export function questionsOf(school: School): readonly Question[] {
  const { now } = school;
  const today = dayAfter(now, 0);
  const month = today.slice(0, 7);
  const { first_name, last_name } = person(school);
  const nameFilter = (of: Described) => {
    const [first, last] = [of.field(/^first/, /text/), of.field(/^last/, /text/)];
    return `${first.name}="${first_name}" and ${last.name}="${last_name}"`;
  };
  return [
    {
      question: "Who has not paid, by name?",
      about: "invoices",
      plan: async (of, ask) => {
        const open = of.field(/open/, /decimal/).name;
        return count("invoices", { by: of.field(/name/, /text/).name, sum: open, having: `${open}>0` })(ask);
      },
      records: ({ invoices }) => invoices.filter((one) => cents(one.total_open) > 0n).length,
    },
    {
      question: "Whose open invoice has expired?",
      about: "invoices",
      plan: async (of, ask) => {
        const status = of.filter(/status/);
        const where = { [status.name]: [option(status, /^open/)] };
        return count("invoices", { where, having: `${of.field(/expir/).name}<today` })(ask);
      },
      records: ({ invoices }) =>
        invoices.filter((one) => one.status === "open" && String(one.expiration_date ?? "9") < dayIn(now)).length,
    },
    {
      question: "Which leads are new since last week?",
      about: "leads",
      plan: async (of, ask) => count("leads", { having: `${of.field(/creat.*at/, /time/).name}>=today-7` })(ask),
      records: ({ leads }) => leads.filter((one) => dayIn(one.created_at) >= dayAfter(now, -7)).length,
    },
    {
      question: "Which leads have we won?",
      about: "leads",
      plan: async (of, ask) => {
        const status = of.field(/status/);
        return count("leads", { having: `${status.name}=${option(status, /won/)}` })(ask);
      },
      records: ({ leads }) => leads.filter((one) => one.status === "won").length,
    },
    {
      question: "What is this person's e-mail address?",
      about: "users",
      plan: async (of, ask) =>
        ask("read", { from: "users", having: nameFilter(of), fields: ["id", of.field(/mail/).name], limit: 100 }),
      records: ({ users }) => users.filter((one) => isNamed(one, person(school))).length,
      says: ({ rows }) => (rows as unknown[][]).every(([, mail]) => mail === null || String(mail).includes("@")),
    },
    {
      question: "All about this person: what do they take part in?",
      about: "users",
      plan: async (of, ask) => {
        const { rows } = (await ask("read", { from: "users", having: nameFilter(of), fields: ["id"], limit: 1 })) as {
          rows: unknown[][];
        };
        // The description of `with` mentions student_id.
        const id = rows[0]?.[0];
        return id === undefined
          ? { count: 0, complete: false, unread: "not found within the budget" }
          : count("enrollments", { where: { student_id: id } })(ask);
      },
      records: ({ users, enrollments }) => {
        const { id } = users.find((one) => isNamed(one, person(school))) as Row;
        return enrollments.filter(({ student_id }) => student_id === id).length;
      },
    },
    {
      question: "Which courses have fewer than five participants?",
      about: "plannedCourses",
      plan: async (of, ask) => count("plannedCourses", { having: `${of.field(/current.*participants/).name}<5` })(ask),
      records: ({ plannedCourses }) => plannedCourses.filter((one) => Number(one.current_participants) < 5).length,
    },
    {
      question: "Which courses of the next two months have free places?",
      about: "plannedCourses",
      plan: async (of, ask) => {
        const [from, until] = [of.filter(/start.*from/, /date/).name, of.filter(/start.*until/, /date/).name];
        const where = { [from]: dayAfter(now, 1), [until]: dayAfter(now, 60) };
        return count("plannedCourses", { where, having: `${of.field(/available/, /boolean/).name}=true` })(ask);
      },
      records: ({ plannedCourses }) =>
        plannedCourses.filter(
          ({ start_date, available_places }) =>
            String(start_date ?? "") >= dayAfter(now, 1) && String(start_date) <= dayAfter(now, 60) && available_places,
        ).length,
    },
    {
      question: "Who cancelled this month?",
      about: "enrollments",
      plan: async (of, ask) => {
        const status = of.filter(/status/);
        const where = { [status.name]: [option(status, /cancel/)] };
        const having = `${of.field(/updat.*at/, /time/).name}>=${month}-01`;
        return count("enrollments", { where, having })(ask);
      },
      records: ({ enrollments }) =>
        enrollments.filter((one) => one.status === "canceled" && dayIn(one.updated_at) >= `${month}-01`).length,
    },
    {
      question: "What do we invoice by month, in each currency?",
      about: "invoices",
      plan: async (of, ask) =>
        count("invoices", { by: `${of.field(/creat.*at/).name}:month`, sum: of.field(/total.*incl/, /decimal/).name })(
          ask,
        ),
      records: ({ invoices }) => invoices.length,
      says: ({ zone: told }) => told === zone,
    },
    {
      question: "What is open in each currency?",
      about: "invoices",
      plan: async (of, ask) =>
        count("invoices", { by: of.field(/currency/).name, sum: of.field(/open/, /decimal/).name })(ask),
      records: ({ invoices }) => invoices.length,
      says: ({ sum_total_open: sums, complete }, { invoices }) => {
        if (!complete) return true;
        const truth = [...sumBy(invoices, "currency", "total_open")];
        return typeof sums === "object"
          ? truth.every(([currency, sum]) => cents((sums as Row)[String(currency)]) === sum)
          : truth.length === 1;
      },
    },
    {
      question: "What is the income per course, and in which currency?",
      about: "orders",
      plan: async (of, ask) => {
        const key = of.field(/planned_course/).name;
        // Reads first, because counting may use up the session's requests.
        const read = (await ask("read", { from: "plannedCourses", fields: ["id", "currency"], limit: 100 })) as Row;
        const answer = (await count("orders", { by: key, sum: of.field(/total.*incl/, /decimal/).name })(ask)) as Row;
        return { ...answer, currencies: read.rows };
      },
      records: ({ orders }) => orders.length,
      says: ({ rows, currencies, complete }, { orders }) => {
        const truth = sumBy(orders, "planned_course_id", "total_cost_incl");
        const isRight = ([id, , sum]: unknown[]) => id === "(none)" || cents(sum) === truth.get(Number(id));
        return (!complete || (rows as unknown[][]).every(isRight)) && (currencies as unknown[][]).length > 0;
      },
    },
    {
      question: "Who teaches?",
      about: "users",
      plan: async (of, ask) => count("users", { where: { [of.filter(/role/, /teacher/).name]: "teacher" } })(ask),
      records: ({ users }) => users.filter((one) => (one.roles as string[]).includes("teacher")).length,
    },
    {
      question: "Whom can we not write to?",
      about: "users",
      plan: async (of, ask) => count("users", { having: `${of.field(/mail/).name}=""` })(ask),
      records: ({ users }) => users.filter((one) => !one.email).length,
    },
    {
      question: "Who is absent often?",
      about: "attendances",
      plan: async (of, ask) => {
        const state = of.field(/state/);
        const by = of.field(/enrollment/).name;
        return count("attendances", { by, having: `${state.name}=${option(state, /absent/)}` })(ask);
      },
      records: ({ attendances }) => attendances.filter((one) => one.state === "absent").length,
    },
  ];
}

/** Reads the records that the questions concern. */
export async function schoolOf(client: MainClient, now: number): Promise<School> {
  const all = async (name: keyof Omit<School, "now">) =>
    (await client[name].list({}, { validation: "off" }).toArray()) as unknown as Row[];
  return {
    now,
    invoices: await all("invoices"),
    leads: await all("leads"),
    users: await all("users"),
    enrollments: await all("enrollments"),
    plannedCourses: await all("plannedCourses"),
    attendances: await all("attendances"),
    orders: await all("orders"),
  };
}

/**
 * Lets the model answer a question in a new session. @returns true if every record was read.
 * @throws Error if the answer is wrong, or partial without saying so, or costs more than three calls or 3,000 tokens.
 */
export async function isAnswered(question: Question, school: School, ask: Ask): Promise<boolean> {
  let calls = 0;
  const askCounting: Ask = async (tool, input) => {
    const answer = await ask(tool, input);
    const text = typeof answer === "string" ? answer : JSON.stringify(answer);
    const problem = (what: string) => new Error(`${question.question} ${what}: ${text.slice(0, 300)}`);
    if (++calls > 3) throw problem("costs a fourth call");
    // With any tokenizer, three characters of JSON are usually at least one token.
    if (text.length / 3 > 3_000) throw problem("is answered in more than 3,000 tokens");
    if (typeof answer === "object" && answer !== null && "error" in answer) throw problem("fails");
    return answer;
  };
  const described = new Described(String(await askCounting("describe", { resource: question.about })));
  const answer = (await question.plan(described, askCounting)) as Row;
  const { complete = true, count: told = (answer.rows as unknown[] | undefined)?.length } = answer;
  const truth = question.records(school);
  const isRight = complete === true ? told === truth : Number(told) <= truth && typeof answer.unread === "string";
  if (isRight && (question.says?.(answer, school) ?? true)) return complete === true;
  throw new Error(`${question.question} has ${truth}, answered with ${JSON.stringify(answer).slice(0, 500)}`);
}
