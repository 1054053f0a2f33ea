// The verdicts of `whose` and `kin` beside a reference that is written otherwise: nested questions instead of a table,
// every combination of circumstances, and a world that knows who created each record.
import { expect, test } from "vitest";
import { kin, stateOf } from "../../src/bulk/kin.js";
import { type Context, type Seen, type Sent, scaleOf, type Verdict, whose } from "../../src/bulk/whose.js";
import { chance } from "../support/chance.js";

const SENT_AT = 1_000_000;
const SENT: Sent = { row: 1, key: "ada@example.org", send: { email: "ada@example.org", name: "Ada" }, keys: ["email"] };
const KEYS = { same: "ada@example.org", kin: null, other: "zoe@example.org", anotherRows: "bob@example.org" };
const NAMES = { same: "Ada", kin: undefined, other: "Zoe" };
const CREATED = { before: SENT_AT - 9_001, unknown: SENT_AT - 501, after: SENT_AT + 501 };

/** The circumstances of a record, each independent of the others. */
const CIRCUMSTANCES = {
  isNamed: [true, false],
  isAnotherRows: [true, false],
  isReborn: [true, false],
  time: ["before", "unknown", "after"],
  key: ["same", "kin", "other", "anotherRows"],
  name: ["same", "kin", "other"],
  weight: [1, 0.5, 0],
  isSeen: [true, false],
  oddity: [null, "status", "mark", "written"],
  keepsKeys: [true, false, undefined],
  keepsName: [true, false, undefined],
} as const;
type Case = { readonly [Name in keyof typeof CIRCUMSTANCES]: (typeof CIRCUMSTANCES)[Name][number] };

function* casesOf(names: readonly (keyof Case)[], some: Partial<Case> = {}): Generator<Case> {
  const [name, ...rest] = names;
  if (name === undefined) yield some as Case;
  else for (const value of CIRCUMSTANCES[name]) yield* casesOf(rest, { ...some, [name]: value });
}

/** The verdict by the reference: first who was there before, then what the response named, then which values agree. */
function expectedFor(one: Case): Verdict {
  const isCompared = one.keepsName !== false;
  const agrees = isCompared && one.name === "same" && one.weight === 1;
  const contradicts = isCompared && one.name === "other" && (one.weight > 0 || one.keepsName === true);
  const hasOtherKey = one.key === "other" || one.key === "anotherRows";
  if (one.isAnotherRows || one.isReborn || one.time === "before" || one.key === "anotherRows") return "another's";
  if (one.isSeen && one.time !== "after") {
    return one.key === "same" && agrees && !contradicts ? "cannot tell" : "another's";
  }
  if (!one.isNamed) {
    const isOther = hasOtherKey && (one.keepsKeys === true || (contradicts && !agrees));
    return isOther || one.oddity === "mark" ? "another's" : "cannot tell";
  }
  const isAsOwn = one.time === "after" && one.oddity === null;
  const isOfKey = !hasOtherKey || (one.keepsKeys === false && agrees);
  return isAsOwn && isOfKey && !contradicts ? "ours" : "cannot tell";
}

function verdictOn(one: Case): Verdict {
  const created = CREATED[one.time];
  const record: Seen = {
    id: 11,
    key: KEYS[one.key],
    fields: { name: NAMES[one.name], made_by: one.oddity === "mark" ? "form" : "api" },
    created,
    updated: one.oddity === "written" ? created + 60_000 : created,
    zoned: true,
  };
  const context: Context = {
    answered: one.isNamed ? 11 : null,
    status: one.oddity === "status" ? 200 : 201,
    sentAt: SENT_AT,
    answeredAt: SENT_AT + 1_000,
    dates: null,
    born: one.isReborn ? created - 60_000 : created,
    newest: null,
    floor: null,
    owner: () => (one.isAnotherRows ? 2 : null),
    seen: () => one.isSeen,
    rowOfKey: (key) => (key === KEYS.anotherRows ? 2 : key === SENT.key ? 1 : null),
    weight: () => one.weight,
    scale: { low: 0, high: 1, slack: 0 },
    kept: () => one.keepsName,
    keepsKeys: one.keepsKeys,
    usual: 201,
    staysFresh: true,
    marks: [["made_by", "api"]],
  };
  return whose(record, SENT, context).verdict;
}

test("every combination of circumstances gets the verdict of the reference", () => {
  const wrong: string[] = [];
  const counts = { ours: 0, "another's": 0, "cannot tell": 0 };
  for (const one of casesOf(Object.keys(CIRCUMSTANCES) as (keyof Case)[])) {
    const verdict = verdictOn(one);
    counts[verdict]++;
    if (verdict !== expectedFor(one) && wrong.length < 5) wrong.push(`${verdict}: ${JSON.stringify(one)}`);
  }
  expect(wrong).toEqual([]);
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(100);
});

const NAMED: Readonly<Record<string, readonly string[]>> = {
  Latin: ["Søren Ångström", "Zoë d’Arcy", "Łukasz O'Neil", "Jan Willem van ’t Hof", "Renée Smith & Wesson"],
  Greek: ["Ελένη Παππά", "Γιώργος Δήμου", "Νίκος Ιωάννου"],
  Cyrillic: ["Юлия Иванова", "Сергей Петренко", "Иван Ёлкин"],
  Arabic: ["محمد حسن", "فاطمة العلي", "سارة صالح"],
  Chinese: ["陈伟", "王芳", "李娜"],
};
const REWRITTEN: Readonly<Record<string, (text: string) => string>> = {
  "in capitals": (text) => text.toUpperCase(),
  "in small letters": (text) => text.toLowerCase(),
  decomposed: (text) => text.normalize("NFD"),
  "with straight apostrophes": (text) => text.replace(/[’‘]/g, "'"),
  "with more blanks": (text) => ` ${text.replaceAll(" ", "  ")} `,
  escaped: (text) => text.replaceAll("&", "&amp;").replaceAll("'", "&#39;"),
  "without accents": (text) =>
    text
      .normalize("NFKD")
      .replace(/[\u0300-\u036F]/g, "")
      .replaceAll("ø", "o")
      .replaceAll("Ł", "L"),
  "with question marks": (text) => text.replace(/[^ -ÿ]/g, "?"),
  "with a prefix": (text) => `Mx ${text}`,
};

test("a text of any script is never another one's after a service rewrote it, and different ones are never the same", () => {
  const texts = Object.values(NAMED).flat();
  const rewritten = texts.flatMap((text) =>
    Object.entries(REWRITTEN).flatMap(([how, rewrite]) =>
      kin(rewrite(text), text) === "other" ? `${text} ${how}` : [],
    ),
  );
  expect(rewritten).toEqual([]);
  const mixed = texts.flatMap((one) =>
    texts.flatMap((other) => (one !== other && kin(one, other) === "same" ? `${one}, ${other}` : [])),
  );
  expect(mixed).toEqual([]);
  // Within a script, nothing was replaced: other letters are other people.
  for (const some of Object.values(NAMED))
    for (const one of some) for (const other of some) if (one !== other) expect(kin(one, other)).toBe("other");
  expect(stateOf("Ελένη", "")).toBe("other");
});

/** One night of creates at a service with a clock of its own, and a colleague who types some of the same people. */
function* nightOf(seed: number) {
  const random = chance(seed);
  const between = (low: number, high: number) => Math.round(low + random() * (high - low));
  const ahead = random() < 0.4 ? 0 : between(-7_200_000, 7_200_000);
  const step = random() < 0.3 ? 1_000 : 1;
  const zoned = random() < 0.7;
  const hasDates = random() < 0.7;
  const stamp = (at: number) => Math.floor((at + ahead) / step) * step;
  let now = 1_700_000_000_123;
  const rows = Array.from({ length: between(3, 9) }, (_, row) => {
    const sentAt = now + between(900, 4_000);
    // The colleague's record is older than a round trip; the service answers with it instead of creating another.
    const isTheirs = random() < 0.25;
    const madeAt = isTheirs ? sentAt - between(6_000, 900_000) : sentAt + between(20, 300);
    const answeredAt = sentAt + between(320, 900);
    now = answeredAt;
    const name = `Person ${row} of ${seed}`;
    return { row, sentAt, answeredAt, isTheirs, created: stamp(madeAt), name, offset: sentAt + ahead };
  });
  const scale = scaleOf(
    rows.map(({ created, sentAt, answeredAt, offset }) => ({
      created,
      sentAt,
      answeredAt,
      offset: hasDates ? created - offset : null,
    })),
    zoned,
    rows.some(({ isTheirs }) => isTheirs),
  );
  for (const { row, sentAt, answeredAt, isTheirs, created, name } of rows) {
    const sent: Sent = { row, key: name, send: { name, phone: `06 ${row}` }, keys: ["name"] };
    const seen: Seen = { id: row, key: name, fields: { name, phone: `06 ${row}` }, created, updated: created, zoned };
    const service: readonly [number, number] = [sentAt + ahead, answeredAt + ahead];
    const { verdict } = whose(seen, sent, {
      answered: row,
      status: 201,
      sentAt,
      answeredAt,
      dates: hasDates ? service : null,
      born: created,
      newest: null,
      floor: null,
      owner: () => null,
      seen: () => false,
      rowOfKey: () => row,
      weight: () => 1,
      scale,
      kept: () => undefined,
      keepsKeys: undefined,
      usual: null,
      staysFresh: true,
      marks: [],
    });
    yield { verdict, isTheirs, isDatable: zoned && hasDates };
  }
}

test("no clock, zone or step makes a record ours that a colleague created seconds before, nor loses dated own ones", () => {
  const counts = { theirs: 0, own: 0, ours: 0 };
  const wrong: string[] = [];
  for (let seed = 1; seed <= 3_000; seed++) {
    for (const { verdict, isTheirs, isDatable } of nightOf(seed)) {
      if (isTheirs) counts.theirs++;
      else if (isDatable) counts.own++;
      if (!isTheirs && isDatable && verdict === "ours") counts.ours++;
      if (verdict === (isTheirs ? "ours" : "another's")) wrong.push(`seed ${seed}: ${verdict}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(counts.theirs).toBeGreaterThan(3_000);
  expect(counts.ours / counts.own).toBeGreaterThan(0.95);
});
