import type { Contact } from "../organization/contacts.js";
import type { Account } from "../resources/accounts.js";
import type { Category } from "../resources/categories.js";
import type { Course } from "../resources/courses.js";
import type { InvoiceVat } from "../resources/invoice-vats.js";
import type { Invoice } from "../resources/invoices.js";
import { type ChangeKind, Collection, type Columns, type Identified, type Records, View } from "./collection.js";
import { categoryColumns, courseColumns } from "./seed/catalog.js";
import { invoiceColumns, invoiceVatColumns, VAT_COUNT } from "./seed/finance.js";
import { accountColumns, type User, userColumns } from "./seed/people.js";
import { countsOf, type SandboxSize, type World } from "./seed/world.js";

/** Everything a sandbox holds, by resource. What is read here is what the APIs answer; what is written, too. */
export interface Store {
  readonly accounts: Collection<Account>;
  readonly categories: Collection<Category>;
  readonly courses: Collection<Course>;
  readonly invoices: Collection<Invoice>;
  readonly invoiceVats: Collection<InvoiceVat>;
  /** Users: the APIs have no list of them, but other records name them. */
  readonly users: Collection<User>;
  /** The lists of the Organization API: the same data as it shows it. */
  readonly organization: {
    readonly contacts: Records<Contact>;
  };
}

/** Makes the collections of a sandbox. @internal */
export function createStore(options: {
  seed: number;
  size: SandboxSize;
  onChange: (collection: string, kind: ChangeKind, record: Identified) => void;
}): { store: Store; reset: () => void } {
  const counts = countsOf(options.size);
  const collections: { reset(): void }[] = [];
  function collection<T extends Identified>(name: string, count: number, columns: Columns<T>): Collection<T> {
    const onChange = (kind: ChangeKind, record: T) => options.onChange(name, kind, record);
    const made = new Collection<T>({ name, seed: options.seed, count, columns, onChange });
    collections.push(made);
    return made;
  }
  // Columns ask the store only when a record is made, and by then it is complete.
  const store = {} as { -readonly [Name in keyof Store]: Store[Name] };
  const world: World = { counts, store };
  const users = collection("users", counts.people, userColumns);
  Object.assign(store, {
    accounts: collection("accounts", counts.people, accountColumns(world)),
    categories: collection("categories", counts.categories, categoryColumns(world)),
    courses: collection("courses", counts.courses, courseColumns(world)),
    invoices: collection("invoices", counts.people, invoiceColumns(world)),
    invoiceVats: collection("invoiceVats", VAT_COUNT, invoiceVatColumns),
    users,
    organization: {
      contacts: new View<Contact, User>(users, {
        first_name: ({ first_name }) => first_name,
        middle_name: ({ middle_name }) => middle_name,
        last_name: ({ last_name }) => last_name,
        email: ({ email }) => email,
      }),
    },
  } satisfies Store);
  return {
    store,
    reset: () => {
      for (const each of collections) each.reset();
    },
  };
}
