import type { Account, Contact, Course, Invoice } from "../../src/index.js";
import { record } from "../contract/support/answers.js";

const AT = "2026-01-05T12:00:00.000Z";

// Fields that the functions below do not name are as the contract has them, null where they can be.
const rest = <T>(name: string) => record(name, "main", { minimal: true, nulls: true }) as T;

/** An account as the service writes it. */
export function accountRecord(id = 7, more: Partial<Account> = {}): Account {
  return {
    ...rest<Account>("Account"),
    id,
    name: `Account ${id}`,
    email: `billing-${id}@example.com`,
    account_type: "business",
    label_ids: [1, 2],
    slug: `account-${id}`,
    users_count: 3,
    visible: true,
    updated_at: AT,
    created_at: AT,
    custom: { size: "large", since: null },
    address: {
      addressee: "Reception",
      address: "Main Street 1",
      postal_code: "1000 AA",
      city: "Town",
      country: "NL",
      address_line2: null,
      state_province: null,
    },
    ...more,
  };
}

/** An invoice as the service writes it. */
export function invoiceRecord(id = 9, more: Partial<Invoice> = {}): Invoice {
  return {
    ...rest<Invoice>("Invoice"),
    id,
    reference_id: `R-${id}`,
    status: "concept",
    account_name: "Account 7",
    currency: "EUR",
    total_incl: "121.00",
    total_excl: "100.00",
    total_open: "121.00",
    account_id: 7,
    updated_at: AT,
    created_at: AT,
    invoice_items: [
      {
        id: 1,
        name: "Course",
        units: 1.5,
        unit_price: "66.67",
        invoice_vat_id: 2,
        catalog_variant_id: null,
        updated_at: AT,
        created_at: AT,
      },
    ],
    ...more,
  };
}

/** A course as the service writes it. */
export function courseRecord(id = 5, more: Partial<Course> = {}): Course {
  return {
    ...rest<Course>("Course"),
    id,
    position: 1,
    starting_price: "450.00",
    slug: `course-${id}`,
    slug_history: [],
    category_id: 3,
    name: `Course ${id}`,
    code: `C${id}`,
    label_ids: [],
    cost: "450.00",
    cost_scheme: "student",
    is_published: true,
    updated_at: AT,
    created_at: AT,
    custom: {},
    ...more,
  };
}

/** A contact as the service writes it. */
export function contactRecord(id = 3, more: Partial<Contact> = {}): Contact {
  const names = { first_name: "Ada", last_name: "Example", email: `ada-${id}@example.com` };
  return { ...rest<Contact>("Contact"), id, ...names, ...more };
}
