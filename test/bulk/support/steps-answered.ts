import type { Fact } from "../../../src/bulk/lines.js";
import type { Case } from "./steps.js";

const TRIED: Fact = { row: 1, try: 10, version: 1 };
const UPDATED = { row: "change", lines: [TRIED, { row: 1, done: "updated", id: 7, made: 10, version: 2 }] } as const;
const DELETED = { row: "delete", lines: [TRIED, { row: 1, done: "deleted", id: 7, made: 10 }] } as const;

/** Cases of writes that the service answered with success, which alone proves nothing. */
export const ANSWERED_CASES: readonly Case[] = [
  {
    row: "create",
    when: "… the record that the service named is not what was sent",
    next: "`unknown`, with its identifier",
    lines: [
      { row: 1, try: 10 },
      { row: 1, done: "created", id: 11, made: 10, version: 1 },
    ],
    now: 13,
    look: { began: 12, shown: [{ id: 11, key: "zoe", record: { name: "Zoe" }, created: 1, version: 1 }] },
    decision: { do: "end", outcome: "unknown", id: 11, ids: [11] },
  },
  {
    ...UPDATED,
    when: "answered with success",
    next: "the record is read once more: of the first change at once, of the others when all are sent",
    now: 11,
    decision: { do: "check" },
  },
  {
    ...UPDATED,
    when: "… it is as sent",
    next: "`updated`, confirmed",
    now: 11,
    read: { record: { name: "Ada" }, version: 2 },
    decision: { do: "confirm", confirmed: true },
  },
  {
    row: "change",
    lines: [
      { ...TRIED, print: "w" },
      { row: 1, done: "updated", id: 7, made: 10, version: 2 },
    ],
    when: "… it is as sent, and another field has moved since an interrupted run read it",
    next: "`updated`, not confirmed",
    now: 11,
    read: { record: { name: "Ada", w: "moved" }, version: 2 },
    decision: { do: "confirm", confirmed: false },
  },
  {
    ...UPDATED,
    when: "… it is not as sent",
    next: "the record is read again after 3 × `settleMs`",
    now: 11,
    read: { record: { name: "Ann" }, version: 2 },
    decision: { do: "wait", until: 13 },
  },
  {
    ...UPDATED,
    when: "… and it is as before, and nobody has written it since",
    next: "`ignored`: not carried out",
    now: 14,
    read: { record: { name: "Ann" }, version: 2 },
    decision: { do: "end", outcome: "ignored", id: 7, confirmed: false },
  },
  {
    ...UPDATED,
    when: "… as before, but written since",
    next: "`unknown`",
    now: 14,
    read: { record: { name: "Ann" }, version: 3 },
    decision: { do: "end", outcome: "unknown", ids: [7], id: 7, confirmed: false },
  },
  {
    ...UPDATED,
    when: "… neither as before nor as sent, and nobody has written it since",
    next: "`updated`, confirmed; `differs` tells what is stored",
    now: 14,
    read: { record: { name: "ADA" }, version: 2 },
    decision: { do: "confirm", confirmed: true, differs: { name: ["Ada", "ADA"] } },
  },
  {
    ...UPDATED,
    when: "… neither, and written since; or gone",
    next: "`updated`, not confirmed",
    now: 14,
    read: { record: { name: "Bob" }, version: 3 },
    decision: { do: "confirm", confirmed: false },
  },
  {
    row: "delete",
    lines: [],
    when: "nothing but a 404 says that it is gone: the list shows it, or shows no other record that can be read",
    next: "`failed`, after a request `unknown`; the next run looks again",
    now: 10,
    read: { record: null, unproven: true },
    decision: { do: "end", outcome: "failed", id: 7, status: 404 },
  },
  {
    row: "delete",
    lines: [],
    when: "answered with 404, and not proven to be gone",
    next: "`failed`, after another request `unknown`; the next run sends it again",
    now: 10,
    read: { record: { name: "Ada" }, version: 1 },
    decision: { do: "send" },
  },
  {
    ...DELETED,
    when: "answered with success",
    next: "the record is read once more, as of a change",
    now: 11,
    decision: { do: "check" },
  },
  {
    ...DELETED,
    when: "… it is gone",
    next: "`deleted`, confirmed",
    now: 11,
    read: { record: null },
    decision: { do: "confirm", confirmed: true },
  },
  {
    ...DELETED,
    when: "… nothing but a 404 says so, even after 3 × `settleMs`",
    next: "`deleted`, not confirmed; the next run looks again",
    now: 14,
    read: { record: null, unproven: true },
    decision: { do: "confirm", confirmed: false },
  },
  {
    ...DELETED,
    when: "… it is still there, even after 3 × `settleMs`",
    next: "`ignored`: not carried out",
    now: 14,
    read: { record: { name: "Ada" }, version: 1 },
    decision: { do: "end", outcome: "ignored", id: 7, confirmed: false },
  },
];
