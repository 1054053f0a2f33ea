/**
 * A school's own fields: what the file that `npx education-admin-sdk types` writes imports, and the types of records and
 * inputs that have them.
 */
import { ConfigurationError } from "../core/errors.js";
import { isPlainObject } from "../core/json.js";
import type { AnySchool, NoSchool } from "../core/school.js";
import { DefinitionChecks } from "./checks.js";
import type { DefinedSchool, SchoolDefinitions } from "./definitions.js";

export type {
  CustomRecordsInSchool,
  FieldInputs,
  FieldValues,
  InSchool,
  ListsInSchool,
  OrganizationInSchool,
  SchoolCustomRecord,
  SchoolCustomRecordCreate,
  SchoolCustomRecordPath,
  SchoolCustomRecords,
  SchoolCustomRecordUpdate,
  SchoolInput,
  SchoolJoined,
  SchoolJoins,
  SchoolLists,
  SchoolPages,
  SchoolRecord,
  SchoolResource,
} from "../clients/in-school.js";
export type { OwnReferencesOf } from "../core/lists/references.js";
export type {
  AnySchool,
  NoSchool,
  SchoolChecks,
  SchoolOption,
  SchoolRequest,
  SentSchoolRequest,
} from "../core/school.js";
export type { DefinedSchool, SchoolDefinitions, SchoolField, SchoolFields } from "./definitions.js";

/**
 * Makes the option `school` of clients and sandboxes from a school's definitions. The file that
 * `npx education-admin-sdk types` writes calls it.
 * @throws ConfigurationError when the definitions are not a plain object.
 * @example
 * const school = defineSchool<{ accounts: { sector: "industry" | "care" } }>({
 *   accounts: { sector: { type: "select", options: ["industry", "care"] } },
 * });
 * const client = new MainClient({ baseUrl: "https://school.example", apiKey: "key", school });
 * console.log((await client.accounts.get(7)).custom.sector);
 */
export function defineSchool<S extends AnySchool = NoSchool>(definitions: SchoolDefinitions): DefinedSchool<S> {
  if (!isPlainObject(definitions as unknown)) {
    throw new ConfigurationError("defineSchool takes a plain object: fields by kind of record and slug");
  }
  return { definitions, connect: () => new DefinitionChecks(definitions) };
}
