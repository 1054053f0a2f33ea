import type { SchoolDefinitions } from "../../src/school/index.js";

/** A school with a field of each of the ten kinds in every kind of record, and with objects and associations. */
const everyKind = {
  active: "boolean",
  birthday: { type: "datepicker", title: "When were you born?" },
  number: "decimal",
  mobile: "phone",
  sector: { type: "select", options: ["care", "education", "industry"], required: true },
  topics: { type: "multiselect", options: ['a "quoted" one', "safety"] },
  ssn: "ssn",
  size: "string",
  remarks: { type: "text", title: "Anything */ else?" },
  vat: "vat_number",
} as const satisfies SchoolDefinitions["accounts"];

export const EVERY_KIND: SchoolDefinitions = {
  accounts: everyKind,
  catalog_products: everyKind,
  catalog_variants: everyKind,
  orders: everyKind,
  teachers: everyKind,
  users: everyKind,
  objects: {
    equipment: { weight: "decimal", "serial-number": { type: "string", title: "Number on the label" } },
    vehicles: { seats: "decimal" },
  },
  associations: { catalog_products: { equipment: "equipment" }, catalog_variants: { vehicle: "vehicles" } },
};

/** A valid value for each of the fields, different from the seeded one. */
export const VALUES = {
  active: true,
  birthday: "1999-12-31",
  number: 12.5,
  mobile: "+44 1632 960111",
  sector: "education",
  topics: ["safety", 'a "quoted" one'],
  ssn: "000-00-0001",
  size: "XL",
  remarks: "None",
  vat: "GB999999999",
};
