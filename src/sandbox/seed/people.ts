import type { Account } from "../../resources/accounts.js";
import type { Columns, Identified } from "../collection.js";
import { companyName, firstName, lastName, middleName, phoneNumber, postalAddress } from "./words.js";
import { slugOf, timestamps, type World } from "./world.js";

/** A user of the environment. The APIs have no list of them; the Organization API shows them as contacts. */
export interface User extends Identified {
  first_name: string | null;
  middle_name: string | null;
  last_name: string | null;
  email: string | null;
}

/** @internal */
export const userColumns: Columns<User> = {
  first_name: (_, random) => firstName(random),
  middle_name: (_, random) => (random.chance(0.3) ? middleName(random) : null),
  last_name: (_, random) => lastName(random),
  email: ({ id, first_name, last_name }) => `${slugOf(`${first_name} ${last_name}`)}-${id}@example.com`,
};

/** A person's name in one piece. @internal */
export function fullName(user: Pick<User, "first_name" | "middle_name" | "last_name">): string {
  return [user.first_name, user.middle_name, user.last_name].filter(Boolean).join(" ");
}

// People and accounts come in tens: four of the accounts are businesses, the other six belong to the user with the
// same number. Two of the businesses have a second user.
const BUSINESSES: ReadonlySet<number> = new Set([0, 3, 5, 8]);
const SECOND_USERS = [
  { account: 0, user: 4 },
  { account: 3, user: 6 },
] as const;

/** @internal */
export function isBusiness(accountId: number): boolean {
  return BUSINESSES.has((accountId - 1) % 10);
}

/** @internal */
export function accountColumns({ counts, store }: World): Columns<Account> {
  return {
    name: (row, random) => (isBusiness(row.id) ? companyName(random) : fullName(store.users.seeded(row.id))),
    email: (row, random) => {
      if (!isBusiness(row.id)) return store.users.seeded(row.id).email;
      return random.chance(0.9) ? `billing-${row.id}@example.org` : null;
    },
    phone: (_, random) => (random.chance(0.6) ? phoneNumber(random) : null),
    account_type: ({ id }) => (isBusiness(id) ? "business" : "personal"),
    label_ids: (_, random) => (random.chance(0.2) ? [random.int(1, 3)] : []),
    personal_user_id: ({ id }) => (isBusiness(id) ? null : id),
    slug: ({ id, name }) => `${slugOf(name)}-${id}`,
    users_count: ({ id }) => {
      const place = (id - 1) % 10;
      const whole = id - place + 9 <= counts.people;
      return 1 + (whole && SECOND_USERS.some(({ account }) => account === place) ? 1 : 0);
    },
    visible: () => true,
    ...timestamps(counts.people),
    custom: (_, random) => ({ sector: random.pick(["industry", "care", "education"]), newsletter: random.chance(0.4) }),
    address: (row, random) => (random.chance(0.9) ? postalAddress(random, row.name) : null),
  };
}
