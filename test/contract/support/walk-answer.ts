import { expect } from "vitest";
import { type DriftEvent, ResponseValidationError } from "../../../src/index.js";
import {
  enumerationOf,
  formatPath,
  type Leaf,
  leaves,
  record,
  turns,
  variantsOf,
  type WireRecord,
  withoutField,
  withValue,
  wrongValue,
} from "./answers.js";
import { type ContractApi, records, unions } from "./contract-data.js";

/** Reads records from responses, as a caller receives them. */
export interface Reader {
  /** Reads with strict validation. */
  strict(wire: WireRecord): Promise<unknown>;
  /**
   * Reads with validation set to "report"; `drift` holds the events since the last call, including those of strict
   * reads.
   */
  report(wire: WireRecord): Promise<{ value: unknown; drift: DriftEvent[] }>;
}

/** Creates a reader that has not reported anything yet. */
export type MakeReader = () => Reader;

/**
 * Reads a record in every form that the contract allows and checks that the record arrives unchanged. If a field has a
 * form that the contract does not allow, strict validation must name the field, and "report" must still return the
 * record. For a union, this is done for each variant.
 */
export async function walkAnswer(make: MakeReader, name: string, api: ContractApi): Promise<void> {
  for (const variant of variantsOf(name)) await walkRecord(make, variant, api);
  const union = unions.get(name);
  if (union) await walkUnknownVariant(make(), union.discriminator);
}

/**
 * Reads a record through its operation. The record must arrive unchanged, and both strict validation and "report" must
 * notice wrong and new fields. This is enough, because the record's schema is walked separately.
 */
export async function walkKnownAnswer(make: MakeReader, name: string, api: ContractApi): Promise<void> {
  for (const variant of variantsOf(name)) {
    const reader = make();
    const full = record(variant, api);
    await walkForms(reader, full, variant, api);
    const [wrong] = leaves(variant, api).filter(({ field }) => field.constant === null);
    await walkUnknownField(reader, full, records.get(variant)?.open ?? false);
    if (wrong)
      await isRefused(reader, withValue(full, wrong.path, wrongValue(wrong.field)), formatPath(wrong.path), "wrong");
  }
  const union = unions.get(name);
  if (union) await walkUnknownVariant(make(), union.discriminator);
}

async function walkForms(reader: Reader, full: WireRecord, name: string, api: ContractApi): Promise<void> {
  await passes(reader, full, "every field");
  await passes(reader, record(name, api, { minimal: true }), "only the fields that are always there");
  await passes(reader, record(name, api, { nulls: true }), "null wherever null may stand");
}

async function walkRecord(make: MakeReader, name: string, api: ContractApi): Promise<void> {
  const reader = make();
  const full = record(name, api);
  await walkForms(reader, full, name, api);
  for (let turn = 1; turn < turns(name, api); turn++) await passes(reader, record(name, api, { turn }), `turn ${turn}`);
  await walkUnknownField(reader, full, records.get(name)?.open ?? false);
  const wrong = leaves(name, api).flatMap((leaf) => LEAF_FORMS.map((walk) => () => walk(reader, full, leaf)));
  for (const walk of wrong) await walk();
  for (const leaf of leaves(name, api)) {
    const enumeration = enumerationOf(leaf.field);
    if (enumeration) await walkUnknownValue(make(), full, leaf, enumeration.closed);
  }
}

const LEAF_FORMS: ((reader: Reader, full: WireRecord, leaf: Leaf) => Promise<void>)[] = [
  async (reader, full, { path, field }) => {
    const missing = withoutField(full, path);
    if (field.optional) await passes(reader, missing, `${formatPath(path)} left out`);
    else await isRefused(reader, missing, formatPath(path), "left out");
  },
  async (reader, full, { path, field }) => {
    const empty = withValue(full, path, null);
    if (field.nullable) await passes(reader, empty, `${formatPath(path)} null`);
    else await isRefused(reader, empty, formatPath(path), "null");
  },
  async (reader, full, { path, field }) => {
    await isRefused(reader, withValue(full, path, wrongValue(field)), formatPath(path), "of another type");
  },
];

async function walkUnknownValue(reader: Reader, full: WireRecord, { path }: Leaf, closed: boolean): Promise<void> {
  const at = formatPath(path);
  const unknown = withValue(full, path, "a_value_nobody_knows");
  if (closed) await isRefused(reader, unknown, at, "an unknown value");
  else await passes(reader, unknown, `${at} an unknown value of a list that is not complete`);
  const { value, drift } = await reader.report(unknown);
  expect(value, `${at} with an unknown value is handed on`).toEqual(unknown);
  expect(
    drift.map((event) => `${event.kind} ${event.field}`),
    `${at} reported`,
  ).toEqual([`unknown_value ${formatPath(path, true)}`]);
}

// Reads a variant that the service may add one day. The record is returned whole, whatever its fields.
async function walkUnknownVariant(reader: Reader, discriminator: string): Promise<void> {
  const unknown = { [discriminator]: "a_variant_nobody_knows", name: 7, anything: { deep: [1] } };
  await isRefused(reader, unknown, discriminator, "an unknown variant");
  for (const times of [1, 0]) {
    const { value, drift } = await reader.report(unknown);
    expect(value, "an unknown variant is handed on").toEqual(unknown);
    expect(
      drift.map((event) => `${event.kind} ${event.field}`),
      "an unknown variant reported once",
    ).toEqual(Array(times).fill(`unknown_value ${discriminator}`));
  }
}

async function walkUnknownField(reader: Reader, full: WireRecord, open: boolean): Promise<void> {
  const grown = { ...full, a_field_nobody_knows: { deep: [1] } };
  await passes(reader, grown, "an unknown field");
  const { value, drift } = await reader.report(grown);
  expect(value, "an unknown field is kept").toEqual(grown);
  expect(
    drift.map((event) => `${event.kind} ${event.field}`),
    "an unknown field reported",
  ).toEqual(open ? [] : ["unknown_field a_field_nobody_knows"]);
}

async function passes(reader: Reader, wire: WireRecord, what: string): Promise<void> {
  const value = await reader.strict(wire).catch((error: unknown) => expect.fail(`${what}: ${String(error)}`));
  expect(value, what).toEqual(wire);
}

async function isRefused(reader: Reader, wire: WireRecord, at: string, how: string): Promise<void> {
  const error = await reader.strict(wire).then(
    () => expect.fail(`${at} ${how} passed strict validation`),
    (reason: unknown) => reason,
  );
  expect(error, `${at} ${how}`).toBeInstanceOf(ResponseValidationError);
  const paths = (error as ResponseValidationError).issues.map((issue) => issue.path);
  expect(
    paths.some((path) => path === at || path.startsWith(`${at}.`) || path.startsWith(`${at}[`)),
    `${at} ${how} is named; named were ${paths.join(", ")}`,
  ).toBe(true);
}
