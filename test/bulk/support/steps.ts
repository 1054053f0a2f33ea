import type { Fact, PlannedRow } from "../../../src/bulk/lines.js";
import type { Look, Shown } from "../../../src/bulk/sight.js";
import type { Read, Step } from "../../../src/bulk/step.js";

/** A row of the guide's tables: journal lines, records seen and the decision. Times are in minutes; `settleMs` is 1. */
export interface Case {
  readonly row: "create" | "change" | "delete";
  /** The guide's description of the case. */
  readonly when: string;
  readonly next: string;
  readonly lines: readonly Fact[];
  /** Another create of the plan, whose record exists. */
  readonly witness?: { readonly lines: readonly Fact[] };
  readonly now: number;
  readonly look?: Partial<Look>;
  readonly read?: Partial<Read>;
  readonly decision: Partial<Step>;
}

/** The planned row of each kind of case. */
export const ROWS: Readonly<Record<Case["row"], PlannedRow>> = {
  create: { row: 1, do: "create", key: "ada", send: { name: "Ada" } },
  change: { row: 1, do: "update", key: "ann", id: 7, send: { name: "Ada" }, before: { name: "Ann" } },
  delete: { row: 1, do: "delete", id: 7, before: { name: "Ada" }, version: 1 },
};
export const WITNESS: PlannedRow = { row: 2, do: "create", key: "zoe", send: { name: "Zoe" } };

const at = (id: number, key: string, name: string, version: unknown = 1): Shown => ({
  id,
  key,
  record: { name },
  created: 1,
  version,
});
const ADA = at(11, "ada", "Ada");
const ZOE = at(12, "zoe", "Zoe");
const TRIED: Fact = { row: 1, try: 10 };
const MADE: readonly Fact[] = [TRIED, { row: 1, done: "created", id: 11, made: 10, version: 1 }];
const ZOE_MADE = {
  lines: [
    { row: 2, try: 10 },
    { row: 2, done: "created", id: 12, made: 10, version: 1 },
  ] as readonly Fact[],
};
const ANSWERED = { row: "create", lines: [TRIED, { row: 1, answered: true }], witness: ZOE_MADE } as const;
const thrice: readonly Fact[] = [10, 12, 14].map((time) => ({ row: 1, try: time }));

export const CASES: readonly Case[] = [
  {
    row: "create",
    when: "planned",
    next: "the end of the list is read once for all rows",
    lines: [],
    now: 10,
    decision: { do: "look", whole: false },
  },
  {
    row: "create",
    when: "planned, and a new record has its key",
    next: "`stale`",
    lines: [],
    now: 10,
    look: { began: 9, shown: [ADA] },
    decision: { do: "end", outcome: "stale", ids: [11] },
  },
  {
    row: "create",
    when: "planned, and none has",
    next: "sent",
    lines: [],
    now: 10,
    look: { began: 9 },
    decision: { do: "send" },
  },
  {
    row: "create",
    when: "without a response for less than `settleMs`",
    next: "waits",
    lines: [TRIED],
    now: 10.5,
    decision: { do: "wait", until: 11 },
  },
  {
    row: "create",
    when: "without a response for longer",
    next: "the end of the list is read",
    lines: [TRIED],
    now: 11,
    look: { began: 10.5 },
    decision: { do: "look", whole: false },
  },
  {
    row: "create",
    when: "… one new record has its key and fields",
    next: "`created`",
    lines: [TRIED],
    now: 12,
    look: { began: 11, shown: [ADA] },
    decision: { do: "end", outcome: "created", id: 11, made: 11, found: true, version: 1 },
  },
  {
    row: "create",
    when: "… two have",
    next: "`doubled`",
    lines: [TRIED],
    now: 12,
    look: { began: 11, shown: [ADA, at(13, "ada", "Ada")] },
    decision: { do: "end", outcome: "doubled", ids: [11, 13] },
  },
  {
    row: "create",
    when: "… none, at the end of the list",
    next: "the whole list is read",
    lines: [TRIED],
    now: 12,
    look: { began: 11 },
    decision: { do: "look", whole: true },
  },
  {
    row: "create",
    when: "… a new record of no row may be its own, with the key stored otherwise",
    next: "`unknown`, with its identifier",
    lines: [TRIED],
    now: 12,
    look: { began: 11, whole: true, shown: [at(11, "2030: ada", "Ada")] },
    decision: { do: "end", outcome: "unknown", ids: [11] },
  },
  {
    row: "create",
    when: "… the list does not show what this plan has made",
    next: "the whole list is read again after 3 × `settleMs`",
    lines: [TRIED],
    witness: ZOE_MADE,
    now: 12,
    look: { began: 11, whole: true },
    decision: { do: "wait", until: 13 },
  },
  {
    row: "create",
    when: "… and still not",
    next: "`unknown`",
    lines: [TRIED],
    witness: ZOE_MADE,
    now: 14,
    look: { began: 13, whole: true },
    decision: { do: "end", outcome: "unknown", ids: [12] },
  },
  {
    row: "create",
    when: "… the list shows another record of this plan, created at the same time or later, but nothing that could be this row's",
    next: "sent again",
    lines: [TRIED],
    witness: ZOE_MADE,
    now: 12,
    look: { began: 11, whole: true, shown: [ZOE] },
    decision: { do: "send" },
  },
  {
    row: "create",
    when: "… after three times in a run",
    next: "`unknown`",
    lines: thrice,
    witness: {
      lines: [
        { row: 2, try: 15 },
        { row: 2, done: "created", id: 12, made: 15, version: 1 },
      ],
    },
    now: 17,
    look: { began: 16, whole: true, shown: [ZOE] },
    decision: { do: "end", outcome: "unknown" },
  },
  {
    ...ANSWERED,
    when: "answered with success, but without its record, and the list does not show it",
    next: "the whole list is read again after 3 × `settleMs`",
    now: 12,
    look: { began: 11, whole: true, shown: [ZOE] },
    decision: { do: "wait", until: 13 },
  },
  {
    ...ANSWERED,
    when: "… and still not",
    next: "`unknown`, and never sent again",
    now: 14,
    look: { began: 13, whole: true, shown: [ZOE] },
    decision: { do: "end", outcome: "unknown", ids: [] },
  },
  {
    row: "create",
    when: "answered with success",
    next: "the end of the list is read once, when all rows are sent",
    lines: MADE,
    now: 12,
    look: { began: 9 },
    decision: { do: "look", whole: false },
  },
  {
    row: "create",
    when: "… the record was there when the plan was made, or another row has made it",
    next: "`unknown`, with its identifier",
    lines: MADE,
    now: 13,
    look: { began: 12, shown: [], seen: [7, 11] },
    decision: { do: "end", outcome: "unknown", id: 11, ids: [11] },
  },
  {
    row: "create",
    when: "… it shows a second record under the same key",
    next: "`doubled`, with both identifiers",
    lines: MADE,
    now: 13,
    look: { began: 12, shown: [ADA, at(13, "ada", "Ada")] },
    decision: { do: "end", outcome: "doubled", ids: [11, 13], id: 11 },
  },
  {
    row: "create",
    when: "… it shows the record alone",
    next: "`created`, confirmed",
    lines: MADE,
    now: 13,
    look: { began: 12, shown: [ADA] },
    decision: { do: "confirm", confirmed: true },
  },
  {
    row: "create",
    when: "… it shows the record under its key in another form",
    next: "`created`; later starts of `run` refuse the row, so that it is not created again",
    lines: MADE,
    now: 13,
    look: { began: 12, shown: [at(11, "<b>ada</b>", "Ada")] },
    decision: { do: "confirm", confirmed: true, stored: "<b>ada</b>" },
  },
  {
    row: "create",
    when: "… the record does not show, even 3 × `settleMs` after it was made",
    next: "`created`, not confirmed; the next run looks again",
    lines: MADE,
    now: 15,
    look: { began: 14, whole: true },
    decision: { do: "confirm", confirmed: false },
  },
  {
    row: "create",
    when: "… nor does that of a row that was sent more than once",
    next: "`unknown`, with its identifier",
    lines: [{ row: 1, try: 8 }, ...MADE],
    now: 15,
    look: { began: 14, whole: true },
    decision: { do: "end", outcome: "unknown", ids: [11], id: 11 },
  },
  {
    row: "change",
    when: "planned",
    next: "the record is read, once there is room to write it as well",
    lines: [],
    now: 10,
    decision: { do: "read" },
  },
  {
    row: "change",
    when: "read longer ago than a round trip",
    next: "it is read again",
    lines: [],
    now: 12,
    read: { began: 10, ended: 10.001, record: { name: "Ann" }, version: 1 },
    decision: { do: "read" },
  },
  {
    row: "change",
    when: "the record is as planned",
    next: "sent",
    lines: [],
    now: 10,
    read: { record: { name: "Ann" }, version: 1 },
    decision: { do: "send" },
  },
  {
    row: "change",
    when: "it already has the planned values",
    next: "`unchanged`",
    lines: [],
    now: 10,
    read: { record: { name: "Ada" }, version: 1 },
    decision: { do: "end", outcome: "unchanged", id: 7 },
  },
  {
    row: "change",
    when: "somebody has changed a planned field",
    next: "`stale`, not sent; other fields may change freely",
    lines: [],
    now: 10,
    read: { record: { name: "Bob" }, version: 2 },
    decision: { do: "end", outcome: "stale", id: 7 },
  },
  {
    row: "change",
    when: "the record no longer has the key by which it was found",
    next: "`stale`, not sent",
    lines: [],
    now: 10,
    read: { record: { name: "Ann" }, key: "zoe", version: 2 },
    decision: { do: "end", outcome: "stale", id: 7 },
  },
  {
    row: "change",
    when: "the record is gone",
    next: "`failed`",
    lines: [],
    now: 10,
    read: { record: null },
    decision: { do: "end", outcome: "failed", id: 7, status: 404 },
  },
  {
    row: "change",
    when: "without a response, or with one that does not hold the record, for less than `settleMs`",
    next: "waits, then the record is read",
    lines: [{ ...TRIED, version: 1 }],
    now: 10.5,
    decision: { do: "wait", until: 11 },
  },
  {
    row: "change",
    when: "… as sent",
    next: "`updated`",
    lines: [{ ...TRIED, version: 1 }],
    now: 11,
    read: { record: { name: "Ada" }, version: 2 },
    decision: { do: "end", outcome: "updated", id: 7, confirmed: true },
  },
  {
    row: "change",
    when: "… as before, and nobody has written it",
    next: "sent again, at most 3 times a run",
    lines: [{ ...TRIED, version: 1 }],
    now: 11,
    read: { record: { name: "Ann" }, version: 1 },
    decision: { do: "send" },
  },
  {
    row: "change",
    when: "… as before, but written since: it may have been set back",
    next: "`unknown`",
    lines: [{ ...TRIED, version: 1 }],
    now: 11,
    read: { record: { name: "Ann" }, version: 3 },
    decision: { do: "end", outcome: "unknown", id: 7, ids: [7] },
  },
  {
    row: "change",
    when: "… neither as before nor as sent",
    next: "`unknown`",
    lines: [{ ...TRIED, version: 1 }],
    now: 11,
    read: { record: { name: "ADA" }, version: 2 },
    decision: { do: "end", outcome: "unknown", id: 7, ids: [7] },
  },
  {
    row: "change",
    when: "… refused when it was sent again",
    next: "`unknown`",
    lines: [
      { ...TRIED, version: 1 },
      { row: 1, try: 12, version: 1 },
      { row: 1, none: true, refused: true },
    ],
    now: 14,
    read: { record: { name: "Ann" }, version: 1 },
    decision: { do: "end", outcome: "unknown", id: 7, ids: [7] },
  },
  {
    row: "delete",
    when: "the record is as it was made",
    next: "sent",
    lines: [],
    now: 10,
    read: { record: { name: "Ada" }, version: 1 },
    decision: { do: "send" },
  },
  {
    row: "delete",
    when: "somebody has written it",
    next: "`stale`",
    lines: [],
    now: 10,
    read: { record: { name: "Ada" }, version: 2 },
    decision: { do: "end", outcome: "stale", id: 7 },
  },
  {
    row: "delete",
    when: "it is gone, and a request was sent",
    next: "`deleted`",
    lines: [TRIED],
    now: 11,
    read: { record: null },
    decision: { do: "end", outcome: "deleted", id: 7, confirmed: true },
  },
];
