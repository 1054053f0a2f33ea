/**
 * The `./school` entry, which the file written by `npx education-admin-sdk types` imports: a school's own fields and
 * the types of records and inputs that have them.
 */
import { ConfigurationError } from "../core/errors.js";
import type { AnySchool, NoSchool } from "../core/school.js";
import { checkDefinitions } from "./check-definitions.js";
import { DefinitionChecks } from "./checks.js";
import type { DefinedSchool, SchoolDefinitions } from "./definitions.js";

export type {
  CustomRecordsInSchool,
  FieldInputs,
  FieldValues,
  InSchool,
  ListsInSchool,
  OptionsInSchool,
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
 * Makes a value for the option `school` of clients and sandboxes: from a school's definitions, or their JSON text. The
 * file written by `npx education-admin-sdk types` passes text, which costs compilers less than an object.
 * @throws ConfigurationError if the text is not JSON or a definition is wrong; the message names the first wrong part.
 * @example
 * const school = defineSchool<{ accounts: { sector: "industry" | "care" } }>({
 *   accounts: { sector: { type: "select", options: ["industry", "care"] } },
 * });
 * const client = new MainClient({ baseUrl: "https://school.example", apiKey: "key", school });
 * console.log((await client.accounts.get(7)).custom.sector);
 */
export function defineSchool<S extends AnySchool = NoSchool>(
  definitions: SchoolDefinitions | string,
): DefinedSchool<S> {
  const given = typeof definitions === "string" ? parseDefinitions(definitions) : definitions;
  checkDefinitions(given);
  return { definitions: given, connect: () => new DefinitionChecks(given) };
}

function parseDefinitions(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ConfigurationError(
      "The text passed to defineSchool is not valid JSON. Was the file edited, or does it contain a merge conflict? Generate it again with npx education-admin-sdk types",
      { cause },
    );
  }
}
