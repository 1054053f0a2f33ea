import type { Domain } from "../data/domain.js";
import { peopleBehaviours } from "./behaviours.js";
import { peopleSeeds } from "./seed.js";
import type { PeopleStore } from "./store.js";

/** The people domain of the sandbox. @internal */
export const people: Domain<PeopleStore> = {
  seeds: peopleSeeds,
  behaviours: peopleBehaviours,
  references: {
    account_id: ({ accounts }) => accounts,
    administrator_id: ({ users }) => users,
    creator_id: ({ users }) => users,
    label_id: ({ labels }) => labels,
    label_ids: ({ labels }) => labels,
    student_ids: ({ users }) => users,
    user_id: ({ users }) => users,
  },
  factories: {
    adminComment: ({ comments }) => comments,
    orderComment: ({ comments }) => comments,
  },
};
