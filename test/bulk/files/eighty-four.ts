import { decodeStart } from "../../../src/bulk/file/text.js";
import type { FileEncoding } from "../../../src/bulk/node.js";

/** A value that a file holds for a field, as it is to be stored, and as the file writes it. */
interface Cell {
  readonly right: unknown;
  readonly written: string;
}

/** A file of a school, as a program wrote it in a language, and the values that it means. */
export interface SchoolFile {
  readonly name: string;
  readonly resource: "users" | "enrollments" | "courses";
  readonly key: string;
  readonly bytes: Uint8Array;
  /** The right values by the row's key; a row whose cells are damaged is not among them. */
  readonly right: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

interface Language {
  readonly heads: Readonly<Record<string, string>>;
  readonly yes: string;
  readonly no: string;
  readonly nothing: string;
  readonly day: (year: string, month: string, day: string) => string;
  readonly amount: (whole: string, cents: string) => string;
  readonly names: readonly string[];
}

const dotted = (whole: string) => whole.replace(/\B(?=(\d{3})+$)/g, ".");
const LANGUAGES: Readonly<Record<string, Language>> = {
  nl: {
    heads: {
      email: "E-mailadres",
      first_name: "Voornaam",
      last_name: "Achternaam",
      middle_name: "Tussenvoegsel",
      wants_newsletter: "Nieuwsbrief",
      id: "Nr",
      end_date: "Einddatum",
      name: "Naam",
      cost: "Prijs",
    },
    yes: "ja",
    no: "nee",
    nothing: "n.v.t.",
    day: (year, month, day) => `${day}-${month}-${year}`,
    amount: (whole, cents) => `${dotted(whole)},${cents}`,
    names: ["Zoë", "André", "Noor", "Daniël", "Thérèse", "Jan"],
  },
  de: {
    heads: {
      email: "E-Mail-Adresse",
      first_name: "Vorname",
      last_name: "Nachname",
      middle_name: "Namenszusatz",
      wants_newsletter: "Newsletter",
      id: "Nummer",
      end_date: "Enddatum",
      name: "Bezeichnung",
      cost: "Preis",
    },
    yes: "Ja",
    no: "Nein",
    nothing: "k.A.",
    day: (year, month, day) => `${day}.${month}.${year}`,
    amount: (whole, cents) => `${dotted(whole)},${cents}`,
    names: ["Jürgen", "Anna", "Björn", "Käthe", "Großmann", "Uwe"],
  },
  en: {
    heads: {
      email: "Email address",
      first_name: "First name",
      last_name: "Surname",
      middle_name: "Middle name",
      wants_newsletter: "Newsletter",
      id: "Number",
      end_date: "End date",
      name: "Title",
      cost: "Price",
    },
    yes: "Y",
    no: "N",
    nothing: "N/A",
    day: (year, month, day) =>
      `${Number(day)} ${["January", "February", "March", "April", "May"][Number(month) - 1] ?? ""} ${year}`,
    amount: (whole, cents) => `${whole}.${cents}`,
    names: ["Chloé", "Renée", "Sean", "Zoë", "José", "Anne"],
  },
  fr: {
    heads: {
      email: "Courriel",
      first_name: "Prénom",
      last_name: "Nom",
      middle_name: "Particule",
      wants_newsletter: "Infolettre",
      id: "Numéro",
      end_date: "Date de fin",
      name: "Titre",
      cost: "Prix",
    },
    yes: "oui",
    no: "non",
    nothing: "-",
    day: (year, month, day) => `${day}/${month}/${year}`,
    amount: (whole, cents) => `${whole},${cents}`,
    names: ["Hélène", "François", "Anaïs", "Paul", "Gaëlle", "Noé"],
  },
};
// Latin-2 has no letters with a grave accent, and a school in Poland has other names.
const POLISH = ["Łukasz", "Żaneta", "Małgorzata", "Paweł", "Zbigniew", "Jan"];

const ENCODINGS: readonly (readonly [string, FileEncoding, boolean])[] = [
  ["UTF-8", "utf-8", false],
  ["UTF-8 with its mark", "utf-8", true],
  ["UTF-16 with its mark", "utf-16le", true],
  ["Windows-1252", "windows-1252", false],
  ["a Mac's encoding", "macintosh", false],
  ["code page 850", "cp850", false],
  ["Latin-2", "iso-8859-2", false],
];

function encoded(text: string, encoding: FileEncoding, mark: boolean): Uint8Array {
  const all = mark ? `\uFEFF${text}` : text;
  if (encoding === "utf-8") return Buffer.from(all, "utf8");
  if (encoding === "utf-16le") return Buffer.from(all, "utf16le");
  const bytes = new Map(
    Array.from({ length: 256 }, (_, byte) => [decodeStart(new Uint8Array([byte]), encoding), byte]),
  );
  return Uint8Array.from([...all].map((letter) => bytes.get(letter) ?? bytes.get("e") ?? 0));
}

type Rows = readonly Readonly<Record<string, Cell>>[];

function peopleIn({ names, yes, no, nothing }: Language): Rows {
  return names.map((name, at) => ({
    email: { right: `p${at}@example.org`, written: at % 2 ? ` p${at}@example.org ` : `p${at}@example.org` },
    first_name: { right: name, written: name },
    middle_name: at % 2 ? { right: "von", written: "von" } : { right: null, written: nothing },
    last_name: { right: `${name}sen`, written: ` ${name}sen` },
    wants_newsletter: { right: at % 2 === 0, written: at % 2 === 0 ? yes : no },
  }));
}

function daysIn({ names, day }: Language): Rows {
  return names.map((name, at) => {
    const [month, date] = [`0${(at % 5) + 1}`, at === 0 ? "31" : `0${at + 2}`];
    return {
      id: { right: at + 1, written: String(at + 1) },
      end_date: { right: `2031-${month}-${date}`, written: day("2031", month, date) },
      Notiz: { right: undefined, written: name },
    };
  });
}

function pricesIn({ names, amount }: Language): Rows {
  return names.map((name, at) => {
    const [whole, cents] = [String(1_000 * at + 12 + at), at % 2 ? "50" : "05"];
    return {
      id: { right: at + 1, written: String(at + 1) },
      name: { right: name, written: name },
      cost: { right: `${whole}.${cents}`, written: amount(whole, cents) },
    };
  });
}

const SHAPES = [
  ["users", "email", peopleIn],
  ["enrollments", "id", daysIn],
  ["courses", "id", pricesIn],
] as const;
const SEPARATORS = [";", ",", "\t", "|", ":"];

/** Seven encodings, four languages and three kinds of records: 84 files, each with its own separator and damage. */
export const EIGHTY_FOUR: readonly SchoolFile[] = ENCODINGS.flatMap(([title, encoding, mark], first) =>
  Object.entries(LANGUAGES).flatMap(([code, language], second) =>
    SHAPES.map(([resource, key, rowsIn], third): SchoolFile => {
      const at = first * 12 + second * 3 + third;
      const spoken = encoding === "iso-8859-2" ? { ...language, names: POLISH } : language;
      const rows = rowsIn(spoken) as Rows;
      const separator = SEPARATORS[at % SEPARATORS.length] ?? ";";
      const fields = Object.keys(rows[0] ?? {});
      const quote = (cell: string) => (cell.includes(separator) ? `"${cell}"` : cell);
      const line = (cells: readonly string[]) => cells.map(quote).join(separator);
      const written = rows.map((row) => fields.map((field) => row[field]?.written ?? ""));
      const damaged = at % 3 === 0 ? written.length - 1 : -1;
      const lines = [
        ...(at % 2 ? ["2031", ""] : []),
        line(fields.map((field) => language.heads[field] ?? field)),
        ...written.map((cells, row) =>
          row === damaged ? line(cells).slice(0, -line(cells.slice(1)).length - 1) : line(cells),
        ),
        // A row that came twice.
        ...(at % 4 === 0 ? [line(written[1] ?? [])] : []),
      ];
      const end = at % 5 === 0 ? "\n" : "\r\n";
      return {
        name: `${resource} in ${code}, ${title}, separated by ${JSON.stringify(separator)}`,
        resource,
        key,
        bytes: encoded(lines.join(end) + end, encoding, mark),
        right: new Map(
          rows.flatMap((row, index) =>
            index === damaged
              ? []
              : [
                  [
                    String(row[key]?.right),
                    Object.fromEntries(fields.map((field) => [field, row[field]?.right])),
                  ] as const,
                ],
          ),
        ),
      };
    }),
  ),
);
