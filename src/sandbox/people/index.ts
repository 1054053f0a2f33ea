import type { Domain } from "../engine/domain.js";
import { peopleBehaviours } from "./behaviours.js";
import { organizationsBehaviours } from "./behaviours-organizations.js";
import { peopleSeeds } from "./seed.js";
import { organizationsSeeds } from "./seed-organizations.js";
import type { PeopleStore } from "./store.js";

/** The people domain of the sandbox. @internal */
export const people: Domain<PeopleStore> = {
  seeds: (world) => ({ ...peopleSeeds(world), ...organizationsSeeds(world) }),
  behaviours: (store) => ({ ...peopleBehaviours(store), ...organizationsBehaviours(store) }),
  references: {
    account_id: ({ accounts }) => accounts,
    administrator_id: ({ users }) => users,
    assigned_by_id: ({ users }) => users,
    assignee_id: ({ users }) => users,
    completed_by_id: ({ users }) => users,
    creator_id: ({ users }) => users,
    label_id: ({ labels }) => labels,
    label_ids: ({ labels }) => labels,
    organization_id: ({ organizations }) => organizations,
    personal_user_id: ({ users }) => users,
    primary_account_id: ({ accounts }) => accounts,
    student_id: ({ users }) => users,
    student_ids: ({ users }) => users,
    teacher_label_ids: ({ labels }) => labels,
    user_id: ({ users }) => users,
  },
  factories: {
    adminComment: ({ comments }) => comments,
    adminTask: ({ tasks }) => tasks,
    orderComment: ({ comments }) => comments,
  },
};
