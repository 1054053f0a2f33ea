// Words that schools use for fields, in headers of Dutch, German, English and French files.
const WORDS: Readonly<Record<string, string>> = {
  email:
    "emailadres mailadres mail epost emailadresse mailadresse emailaddress courriel adressemail adresseelectronique",
  first_name: "voornaam roepnaam vorname rufname prenom givenname forename",
  middle_name: "tussenvoegsel tussenvoegsels voorvoegsel voorvoegsels namenszusatz infix particule",
  last_name: "achternaam familienaam nachname familienname zuname surname familyname nom nomdefamille",
  name: "naam omschrijving bezeichnung titel nom title titre intitule",
  addressee: "geadresseerde tav empfanger destinataire",
  address: "straat straatnaam adres straatenhuisnummer strasse anschrift street streetaddress rue adresse",
  postal_code: "postcode plz postleitzahl zip zipcode codepostal cp",
  city: "plaats woonplaats plaatsnaam ort wohnort stadt town ville localite",
  country: "land landcode pays",
  phone:
    "telefoon telefoonnummer tel mobiel gsm telefon telefonnummer handy mobil telephone phonenumber mobile portable",
  student_number:
    "leerlingnummer studentnummer stamnummer leerlingnr studentnr schulernummer matrikelnummer studentno numeroetudiant numerodeleve",
  employee_number: "personeelsnummer personeelsnr medewerkernummer personalnummer employeeno numerodemploye matricule",
  locale: "taal voertaal sprache language langue",
  wants_newsletter: "nieuwsbrief newsletter infolettre",
  label_ids: "label labels etiket etiketten tags etikett etiketten etiquette etiquettes",
  start_date: "begindatum startdatum begin beginn anfang start startdate begindate debut datededebut",
  end_date: "einddatum einde enddatum ende end enddate fin datedefin",
  cost: "prijs kosten bedrag preis betrag price amount prix cout montant",
  price: "prijs bedrag preis betrag amount prix montant",
  id: "nummer nr nummern numero number",
};

const FORMS = new Map(Object.entries(WORDS).map(([name, words]) => [name, new Set(words.split(" ").map(formOf))]));

function formOf(header: string): string {
  return header
    .normalize("NFKD")
    .toLowerCase()
    .replace(/ß/g, "ss")
    .replace(/[^\p{L}\p{N}]/gu, "");
}

/**
 * The field that a header probably names: by the field's name or a word that schools use for it. Null if there is none.
 * @param paths of the fields; if several fit, the first wins.
 */
export function fieldNamed(header: string, paths: readonly string[]): string | null {
  const form = formOf(header);
  const last = (path: string) => path.slice(path.lastIndexOf(".") + 1);
  const isNamed = (path: string) => formOf(path) === form || formOf(last(path)) === form;
  return paths.find(isNamed) ?? paths.find((path) => FORMS.get(last(path))?.has(form)) ?? null;
}

const EMPTY = new Set(["n.v.t.", "nvt", "n/a", "n.a.", "k.a.", "k. a.", "s.o.", "-", "--", "–", "—"]);

/** True for a text that means that a cell has no value, such as "n/a". */
export function isNothing(text: string): boolean {
  return EMPTY.has(text.toLowerCase());
}

export const YES_NO = [
  ["ja", "nee"],
  ["ja", "nein"],
  ["oui", "non"],
  ["j", "n"],
  ["y", "n"],
  ["o", "n"],
  ["waar", "onwaar"],
  ["wahr", "falsch"],
  ["vrai", "faux"],
] as const;
