import type { Random } from "./random.js";

type Words = readonly [string, ...string[]];

// All names are invented: they combine first and last names from short lists, and e-mail addresses end in example.com or
// example.org, which are reserved for examples.
const FIRST_NAMES: Words = [
  "Alva",
  "Bodil",
  "Cosmo",
  "Dorit",
  "Edda",
  "Fenno",
  "Gerwin",
  "Hedda",
  "Ilvy",
  "Jorne",
  "Kaja",
  "Linnet",
  "Mirte",
  "Nilo",
  "Oriel",
  "Petra",
  "Quint",
  "Runa",
  "Sietse",
  "Tamsin",
  "Ubel",
  "Vesna",
  "Wieger",
  "Yara",
  "Zeno",
];
const MIDDLE_NAMES: Words = ["van", "de", "van der", "den"];
const LAST_NAMES: Words = [
  "Sampleton",
  "Testerveld",
  "Demoer",
  "Fixture",
  "Mockwell",
  "Placeholder",
  "Dummink",
  "Examplaar",
  "Stubbs",
  "Probeersel",
  "Seedling",
  "Mustermann",
  "Loremberg",
  "Ipsumsen",
  "Sandbox",
  "Fictief",
  "Modelaar",
  "Schets",
];
const COMPANIES: Words = [
  "Sample",
  "Example",
  "Placeholder",
  "Fixture",
  "Prototype",
  "Specimen",
  "Mock",
  "Model",
  "Template",
  "Draft",
];
const BRANCHES: Words = [
  "Logistics",
  "Care",
  "Bakeries",
  "Engineering",
  "Schools",
  "Harbour",
  "Gardens",
  "Printing",
  "Transport",
  "Software",
];
const FORMS: Words = ["Ltd", "BV", "GmbH", "Foundation", "Cooperative"];
const STREETS: Words = ["Example Street", "Sample Lane", "Fixture Road", "Placeholder Square", "Demo Avenue"];
const CITIES: Words = ["Exampletown", "Sampleford", "Testhaven", "Fixturedam", "Mockburg"];
const SUBJECTS: Words = [
  "First Aid",
  "Project Management",
  "Spanish",
  "Bookkeeping",
  "Welding",
  "Data Analysis",
  "Coaching",
  "Food Safety",
  "Photography",
  "Negotiation",
  "Teaching",
  "Fire Safety",
  "Web Design",
  "Statistics",
  "Conflict Handling",
  "Lean",
];
const LEVELS: Words = ["Basics", "Advanced", "Refresher", "Intensive", "for Teams"];

/** A first name. @internal */
export const firstName = (random: Random): string => random.pick(FIRST_NAMES);
/** A particle before a last name, such as `van`. @internal */
export const middleName = (random: Random): string => random.pick(MIDDLE_NAMES);
/** A last name. @internal */
export const lastName = (random: Random): string => random.pick(LAST_NAMES);
/** The name of a business. @internal */
export const companyName = (random: Random): string =>
  `${random.pick(COMPANIES)} ${random.pick(BRANCHES)} ${random.pick(FORMS)}`;
/** The name of a course. @internal */
export const courseName = (random: Random): string => `${random.pick(SUBJECTS)} ${random.pick(LEVELS)}`;

/** A telephone number from a range reserved for fiction. @internal */
export const phoneNumber = (random: Random): string => `+44 1632 96${String(random.int(0, 9_999)).padStart(4, "0")}`;

/** An invented postal address. @internal */
export function postalAddress(
  random: Random,
  addressee: string | null = null,
): {
  addressee: string | null;
  address: string | null;
  postal_code: string | null;
  city: string | null;
  country: string | null;
  address_line2: string | null;
  state_province: string | null;
} {
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
