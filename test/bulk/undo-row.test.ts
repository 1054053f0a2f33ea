import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { fold } from "../../src/bulk/history.js";
import type { Fact, PlannedRow } from "../../src/bulk/lines.js";
import type { Rows } from "../../src/bulk/target.js";
import { undoRow } from "../../src/bulk/undo-row.js";

const record = z.object({ id: z.int(), name: z.string(), note: z.nullable(z.string()) });
const body = z.partial(z.object({ name: z.string(), note: z.nullable(z.string()) }));
const ROWS = {
  list: { response: record },
  get: { response: record },
  create: { body, response: record },
  update: { body, response: record },
  delete: {},
  action: null,
} as unknown as Rows;
const MINUTES = 60_000;

type Lines = readonly Omit<Fact, "row">[];

function undoLines(planned: Omit<PlannedRow, "row">, lines: Lines, deletes = true, rows = ROWS, moves = () => true) {
  const history = fold(
    { row: 2, ...planned },
    lines.map((line) => ({ row: 2, ...line })),
  );
  return undoRow(history, { rows, name: "things", deletes, moves });
}

const refusal = (message: string, id?: number) => ({
  do: "refuse",
  ...(id !== undefined && { id }),
  why: [{ message: `cannot be undone: ${message}`, reason: expect.any(String) }],
});

describe("the undo of a change", () => {
  const change: Omit<PlannedRow, "row"> = {
    do: "update",
    id: 7,
    send: { name: "New", note: "Sent" },
    before: { name: "Old", note: null },
  };
  const back = { do: "update", id: 7, send: { name: "Old", note: null }, before: { name: "New", note: "Sent" } };

  test("writes the earlier values if the record still has the sent ones", () => {
    expect(undoLines(change, [{ try: 1_000 }, { done: "updated", id: 7 }])).toEqual(back);
  });

  test("expects the values that the service stored, including empty ones", () => {
    const differs = { note: ["Sent", null], name: ["New", "NEW"] } as const;
    expect(undoLines(change, [{ try: 1_000 }, { done: "updated", id: 7, differs }])).toEqual({
      ...back,
      before: { name: "NEW", note: null },
    });
  });

  test("restores a field that changed together with it, if it has not changed again", () => {
    const renamed = { ...change, send: { name: "New" }, before: { name: "Old" } };
    const side = { note: ["Kept", null], id: [7, 8] } as const;
    expect(undoLines(renamed, [{ try: 1_000 }, { done: "updated", id: 7, side }])).toEqual({
      do: "update",
      id: 7,
      send: { name: "Old", note: "Kept" },
      before: { name: "New", note: null },
      why: [{ field: "id", message: "changed with the write, and the service does not accept the old value" }],
    });
  });

  test("leaves the record if the change may be someone else's, and says so", () => {
    const side = { note: ["Kept", null] } as const;
    const renamed = { ...change, send: { name: "New" }, before: { name: "Old" } };
    const lines: Lines = [{ try: 1_000 }, { done: "updated", id: 7, side }];
    expect(undoLines(renamed, lines, true, ROWS, () => false)).toMatchObject({
      send: { name: "Old" },
      before: { name: "New" },
      why: [{ field: "note", message: expect.stringContaining("someone else may have changed it") }],
    });
  });

  test.each<Lines>([
    [{ try: 1_000 }],
    [{ try: 500 }, { try: 1_000 }],
    [{ try: 1_000 }, { done: "unknown", id: 7, ids: [7] }],
  ])("waits until the service can no longer carry out a write in doubt: %j", (...lines) => {
    expect(undoLines(change, lines)).toEqual({ ...back, after: 1_000 + 3 * MINUTES });
  });

  test.each<Lines>([
    [],
    [{ try: 1_000 }, { none: true }],
    [{ try: 1_000 }, { none: true, done: "failed", status: 422 }],
    [{ done: "stale", id: 7 }],
    [{ done: "unchanged", id: 7 }],
    [{ done: "unknown", id: 7 }],
  ])("does nothing if nothing was written: %j", (...lines) => {
    expect(undoLines(change, lines)).toBeNull();
  });

  test("is refused if the service does not accept the earlier values", () => {
    const sent: Lines = [{ try: 1_000 }, { done: "updated", id: 7 }];
    const refusedField = (field: string, message: string) => ({
      do: "refuse",
      id: 7,
      why: [{ field, message: `cannot be undone: the service does not accept ${message}` }],
    });
    expect(undoLines({ ...change, before: { note: "Old", name: null } }, sent)).toEqual(
      refusedField("name", "an empty value"),
    );
    // A plan made by an earlier version may contain fields that later versions do not know.
    expect(undoLines({ ...change, before: { gone: "Old" } }, sent)).toEqual(refusedField("gone", "this field"));
    expect(undoLines(change, sent, true, { ...ROWS, update: null })).toEqual(refusedField("name", "this field"));
  });
});

describe("the undo of a create", () => {
  const create: Omit<PlannedRow, "row"> = { do: "create", key: "new", send: { name: "New", parts: { city: "Town" } } };
  const made = [{ try: 1_000 }, { done: "created", id: 9, version: 5, made: 1_500 }] as const;
  const kept = { ...ROWS, delete: null };

  test("deletes the record if it has not changed since it was stored", () => {
    expect(undoLines(create, [...made, { confirmed: true, whose: "ours" }])).toEqual({
      do: "delete",
      key: "new",
      id: 9,
      version: 5,
      before: { name: "New", "parts.city": "Town" },
    });
  });

  test("has no version if the service reports none, and expects the stored values", () => {
    const differs = { "parts.city": ["Town", "TOWN"] } as const;
    const lines: Lines = [
      { try: 1_000 },
      { done: "created", id: 9, made: 1_500, differs, confirmed: true, whose: "ours" },
    ];
    expect(undoLines(create, lines)).toEqual({
      do: "delete",
      key: "new",
      id: 9,
      before: { name: "New", "parts.city": "TOWN" },
    });
  });

  test("deletes only a record that no one else can have created, and names any other", () => {
    const why = "was found in the list, so someone else may have created it";
    const message = `record 9 may be someone else's: it ${why}; look at it`;
    expect(undoLines(create, [...made, { confirmed: true, whose: why }])).toEqual(refusal(message, 9));
    const unknown = "record 9 may be someone else's: it was not judged; look at it";
    expect(undoLines(create, [...made, { confirmed: true }])).toEqual(refusal(unknown, 9));
  });

  test("expects the key as the service stored it, and the time of creation", () => {
    const lines: Lines = [
      made[0],
      { ...made[1], born: 1_400 },
      { confirmed: true, stored: "2030: new", whose: "ours" },
    ];
    expect(undoLines(create, lines)).toMatchObject({ do: "delete", key: "2030: new", created: 1_400 });
  });

  test.each<Lines>([made, [...made, { confirmed: false }]])(
    "is refused if no reading showed the record: %j",
    (...lines) => {
      expect(undoLines(create, lines)).toEqual(refusal("no reading showed its record; look for record 9", 9));
    },
  );

  test("leaves the record if deletion was not requested or is impossible, and says so", () => {
    const stays = (message: string) => ({ do: "leave", id: 9, why: [{ message }] });
    expect(undoLines(create, made, false)).toEqual(stays("deleting created records was not requested"));
    expect(undoLines(create, made, false, kept)).toEqual(stays("the service deletes no things"));
    expect(undoLines(create, made, true, kept)).toEqual(refusal("the service deletes no things", 9));
  });

  test.each<readonly [Lines, string, number | undefined]>([
    [[{ try: 1_000 }], "", undefined],
    [[{ try: 1_000 }, { done: "unknown" }], "", undefined],
    [[{ try: 1_000 }, { done: "unknown", ids: [4, 5] }], "; look at 4, 5", undefined],
    [[...made, { done: "unknown", id: 9, ids: [9] }], "; look at 9", 9],
  ])("is refused if the create is in doubt, and names the records to check: %j", (lines, records, id) => {
    const message = `it is not known whether it was created; apply the plan first${records}`;
    for (const deletes of [true, false]) expect(undoLines(create, lines, deletes)).toEqual(refusal(message, id));
  });

  test("is refused if the create was carried out twice, and names both records", () => {
    const message = "it was created more than once; look at ";
    expect(undoLines(create, [...made, { done: "doubled", id: 9, ids: [9, 12] }])).toEqual(
      refusal(`${message}9, 12`, 9),
    );
    const unanswered: Lines = [{ try: 1_000 }, { done: "doubled", ids: [9, 12] }];
    expect(undoLines(create, unanswered)).toEqual(refusal(`${message}9, 12`));
  });

  test.each<Lines>([[], [{ done: "stale", ids: [4] }], [{ try: 1_000 }, { none: true, done: "failed", status: 422 }]])(
    "does nothing if nothing was created: %j",
    (...lines) => {
      expect(undoLines(create, lines)).toBeNull();
    },
  );
});

describe("the undo of an undo", () => {
  const remove: Omit<PlannedRow, "row"> = { do: "delete", id: 9, before: { name: "New" } };

  test.each<Lines>([
    [{ try: 1_000 }, { done: "deleted", id: 9 }],
    [{ none: true, done: "deleted", id: 9 }],
    [{ try: 1_000 }],
    [{ try: 1_000 }, { done: "unknown", id: 9 }],
  ])("does not create again what was deleted or may have been: %j", (...lines) => {
    expect(undoLines(remove, lines)).toEqual(refusal("deletions are permanent", 9));
  });

  test.each<Lines>([[], [{ done: "stale", id: 9 }], [{ done: "unchanged", id: 9 }]])(
    "does nothing if nothing was deleted: %j",
    (...lines) => {
      expect(undoLines(remove, lines)).toBeNull();
    },
  );

  test("does nothing for rows that were left or refused", () => {
    expect(undoLines({ do: "leave", id: 9 }, [])).toBeNull();
    expect(undoLines({ do: "refuse", why: [{ message: "x" }] }, [])).toBeNull();
  });
});
