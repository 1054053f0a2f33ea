/**
 * Three lists with `updated_at` and single reads, one without `updated_at`, and three without single reads, including
 * one below another list.
 */
export const LISTS = [
  "accounts",
  "enrollments",
  "users",
  "discountCodes",
  "credits",
  "materials",
  "authentications",
] as const;
export type List = (typeof LISTS)[number];
/**
 * The lists to choose from. The list below another one takes many requests, so it occurs twice, to be changed more
 * often.
 */
export const OFTEN: readonly List[] = [...LISTS, "authentications"];

const DAY_MS = 86_400_000;

/** Encodes the number of a change as a value of the list's revision field. */
export function toFieldValue(list: List, number: number): string {
  return list === "enrollments" ? new Date(number * DAY_MS).toISOString().slice(0, 10) : String(number);
}

/** Decodes the number that {@link toFieldValue} wrote. */
export function read(list: List, value: unknown): number {
  return list === "enrollments" ? Date.parse(String(value)) / DAY_MS : Number(value);
}

/** The field in each list's records that holds the number of the record's last change. */
export const REVISION: Readonly<Record<List, string>> = {
  accounts: "name",
  enrollments: "end_date",
  users: "last_name",
  discountCodes: "discount_code",
  credits: "description",
  materials: "name",
  authentications: "uid",
};

/** The name of each list's table. */
export const TABLES: Readonly<Record<List, string>> = {
  accounts: "accounts",
  enrollments: "enrollments",
  users: "users",
  discountCodes: "discount_codes",
  credits: "credits",
  materials: "materials",
  authentications: "authentications",
};

/** The list that a request reads, if the address contains one. */
export function listAt(address: string): List | undefined {
  const { pathname } = new URL(address);
  return LISTS.find((list) => pathname.includes(`/${TABLES[list]}`));
}
