import type { Observers } from "./events.js";
import type { Method } from "./method.js";

/** The types of a school's own fields, as `npx education-admin-sdk types` writes them; every part may be missing. */
export interface AnySchool {
  /** Custom fields of accounts, by slug. */
  accounts?: object;
  /** Custom fields of catalog products, courses and programs, by slug. */
  catalog_products?: object;
  /** Custom fields of catalog variants, planned courses and program editions, by slug. */
  catalog_variants?: object;
  /** Custom fields of orders, by slug. */
  orders?: object;
  /** Custom fields of teachers, by slug. */
  teachers?: object;
  /** Custom fields of users, by slug. */
  users?: object;
  /** Properties of custom records, by the slug of the custom object and the slug of the property. */
  objects?: object;
  /** Slugs of custom objects, by kind of record and by slug of the association. */
  associations?: object;
}

/** No school: a client without the option `school`, whose custom fields accept any slug and value. */
// biome-ignore lint/suspicious/noEmptyInterface: a name that editors show instead of {}.
export interface NoSchool {}

/** The parts of a request that a school's definitions apply to. */
export interface SchoolRequest {
  readonly operation: { readonly id: string; readonly method: Method; readonly path: string };
  readonly params: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** A request that got a response. */
export interface SentSchoolRequest extends SchoolRequest {
  readonly settings: { readonly validation: string };
  /** The call as subscribers of the diagnostics channels see it. */
  readonly trace?: object | undefined;
}

/** A client's checks against a school's definitions. Clients without the option `school` do not load their code. */
export interface SchoolChecks {
  /**
   * Checks a request that is about to be sent.
   * @throws InputError naming every field that is wrong.
   */
  check(request: SchoolRequest): void;
  /** Checks a record, or the records of a page, and reports drift once per operation, field and kind. */
  observe(request: SentSchoolRequest, data: unknown, observers: Observers): void;
}

/** A school's own fields as an option of a client; `defineSchool` of `education-admin-sdk/school` makes one. */
export interface SchoolOption<S extends AnySchool = NoSchool> {
  /** Only for the compiler: the types of the fields. */
  readonly types?: S;
  /** Makes the checks of one client. */
  connect(): SchoolChecks;
}
