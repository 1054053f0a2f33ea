import * as z from "zod/mini";
import type { Account, OrganizationAffiliation } from "../../generated/resources.js";
import type { Columns } from "../data/collection.js";
import type { Seeds } from "../data/domain.js";
import type { World } from "../data/world.js";
import { businessAccount, businessCount, businessNumber } from "./seed.js";

// An organization has the accounts of two businesses with consecutive numbers, and all users of these accounts.
const ACCOUNTS_EACH = 2;

export function organizationsSeeds(world: World) {
  const { counts, store } = world;
  const businesses = businessCount(counts.people);
  return {
    organizationAccounts: {
      count: businesses,
      stored: () => ({ id: z.int() }),
      columns: {
        account_id: ({ id }) => businessAccount(((id - 1) % businesses) + 1),
        organization_id: ({ account_id }) => organizationOf(businessNumber(account_id)),
      },
    },
    organizationAffiliations: { count: memberCount(counts), columns: affiliationColumns(world) },
    organizations: {
      count: Math.ceil(businesses / ACCOUNTS_EACH),
      columns: {
        name: ({ primary_account_id }, _, { look }) => look(store.accounts, primary_account_id).name,
        primary_account_id: ({ id }) => businessAccount((((id - 1) * ACCOUNTS_EACH) % businesses) + 1),
      },
      wants: { primary_account_id: () => ({ fits: ({ account_type }: Account) => account_type === "business" }) },
    },
  } satisfies Partial<Seeds>;
}

function memberCount({ people, affiliations }: World["counts"]): number {
  return businessCount(people) + affiliations - people;
}

function organizationOf(business: number): number {
  return Math.ceil(business / ACCOUNTS_EACH);
}

function affiliationColumns({ counts, store }: World): Columns<OrganizationAffiliation> {
  const { people } = counts;
  const businesses = businessCount(people);
  // Organization affiliations mirror account affiliations: first those of business contacts, then those of the second
  // users of businesses, which are numbered after the first affiliation of every person.
  const counterpart = (id: number) => {
    const place = (id - 1) % memberCount(counts);
    const number = place < businesses ? businessAccount(place + 1) : people + place - businesses + 1;
    return store.affiliations.seeded(number);
  };
  return {
    organization_id: ({ id }) => organizationOf(businessNumber(counterpart(id).account_id)),
    user_id: ({ id }) => counterpart(id).user_id,
    key_contact: ({ id }) => counterpart(id).key_contact,
  };
}
