import type { Address } from "../../models/address.js";
import type { Random } from "./random.js";

const words = (text: string): readonly string[] => text.split(", ");

// All names are invented: combinations of first and last names from short lists, with e-mail addresses at example.com
// and example.org, which are reserved for examples.
const FIRST_NAMES = /* @__PURE__ */ words(
  "Alva, Bodil, Cosmo, Dorit, Edda, Fenno, Gerwin, Hedda, Ilvy, Jorne, Kaja, Linnet, Mirte, Nilo, Oriel, " +
    "Petra, Quint, Runa, Sietse, Tamsin, Ubel, Vesna, Wieger, Yara, Zeno",
);
const MIDDLE_NAMES = /* @__PURE__ */ words("van, de, van der, den");
const LAST_NAMES = /* @__PURE__ */ words(
  "Sampleton, Testerveld, Demoer, Fixture, Mockwell, Placeholder, Dummink, Examplaar, Stubbs, Probeersel, " +
    "Seedling, Mustermann, Loremberg, Ipsumsen, Sandbox, Fictief, Modelaar, Schets",
);
const COMPANIES = /* @__PURE__ */ words(
  "Sample, Example, Placeholder, Fixture, Prototype, Specimen, Mock, Model, Template, Draft",
);
const BRANCHES = /* @__PURE__ */ words(
  "Logistics, Care, Bakeries, Engineering, Schools, Harbour, Gardens, Printing, Transport, Software",
);
const FORMS = /* @__PURE__ */ words("Ltd, BV, GmbH, Foundation, Cooperative");
const STREETS = /* @__PURE__ */ words("Example Street, Sample Lane, Fixture Road, Placeholder Square, Demo Avenue");
const CITIES = /* @__PURE__ */ words("Exampletown, Sampleford, Testhaven, Fixturedam, Mockburg");
const SUBJECTS = /* @__PURE__ */ words(
  "First Aid, Project Management, Spanish, Bookkeeping, Welding, Data Analysis, Coaching, Food Safety, " +
    "Photography, Negotiation, Teaching, Fire Safety, Web Design, Statistics, Conflict Handling, Lean",
);
const LEVELS = /* @__PURE__ */ words("Basics, Advanced, Refresher, Intensive, for Teams");

export const firstName = (random: Random): string => random.pick(FIRST_NAMES);
/** A particle before a last name, such as `van`. */
export const middleName = (random: Random): string => random.pick(MIDDLE_NAMES);
export const lastName = (random: Random): string => random.pick(LAST_NAMES);
export const companyName = (random: Random): string =>
  `${random.pick(COMPANIES)} ${random.pick(BRANCHES)} ${random.pick(FORMS)}`;
export const courseName = (random: Random): string => `${random.pick(SUBJECTS)} ${random.pick(LEVELS)}`;

/** A telephone number from a range reserved for fiction. */
export const phoneNumber = (random: Random): string => `+44 1632 96${String(random.int(0, 9_999)).padStart(4, "0")}`;

export function postalAddress(random: Random, addressee: string | null = null): Address {
  return {
    addressee,
    address: `${random.pick(STREETS)} ${random.int(1, 199)}`,
    postal_code: `${random.int(1_000, 9_999)} XX`,
    city: random.pick(CITIES),
    country: random.pick(["NL", "NL", "NL", "BE", "DE"]),
    address_line2: null,
    state_province: null,
  };
}
