import type { Domain } from "../engine/domain.js";
import { teachersBehaviours } from "./behaviours.js";
import { teachersSeeds } from "./seed.js";
import type { TeachersStore } from "./store.js";

/** The teachers domain of the sandbox. @internal */
export const teachers: Domain<TeachersStore> = {
  seeds: teachersSeeds,
  behaviours: teachersBehaviours,
  references: {
    teacher_id: ({ teachers }) => teachers,
    teacher_ids: ({ teachers }) => teachers,
    teacher_role_id: ({ teacherRoles }) => teacherRoles,
  },
};
