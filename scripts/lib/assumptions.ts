import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type GeneratedFiles, ROOT } from "./generated.ts";

// Comments of the form `// assumes: a sentence.`, over one line or several, say what the sandbox does beyond the service description.
const MARK = /^ *\/\/ assumes: (.*(?:\n *\/\/ (?!assumes:).*)*)/gm;
const FOLDER = "src/sandbox/";
/** Folders of the sandbox, in the order of the page, with their headings. */
const CHAPTERS: Readonly<Record<string, string>> = {
  engine: "Requests, keys, lists and webhooks",
  people: "People",
  catalog: "Catalog",
  teachers: "Teachers",
  planning: "Planning",
  finance: "Orders, invoices and payments",
  organization: "Organization API",
  custom: "Custom fields and objects",
  settings: "Subscriptions",
  "": "Records",
};

/** One assumption, and the file of the sandbox that rests on it. */
export interface Assumption {
  /** Path below `src/sandbox`. */
  readonly file: string;
  readonly sentence: string;
}

/** Reads the assumptions from the comments of the sandbox's sources. */
export function readAssumptions(): Assumption[] {
  return readdirSync(ROOT + FOLDER, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .sort()
    .flatMap((file) =>
      [...readFileSync(join(ROOT, FOLDER, file), "utf8").matchAll(MARK)].map(([, text = ""]) => ({
        file,
        sentence: text.replace(/\n *\/\/ /g, " "),
      })),
    );
}

/**
 * Writes docs/sandbox-assumptions.md.
 * @throws Error for an assumption in a folder that has no heading.
 */
export function assumptionsDoc(assumptions: readonly Assumption[] = readAssumptions()): GeneratedFiles {
  const stray = assumptions.find(({ file }) => !(folderOf(file) in CHAPTERS));
  if (stray)
    throw new Error(`${FOLDER}${stray.file} assumes something, but its folder has no heading in ${import.meta.url}`);
  const chapters = Object.entries(CHAPTERS).flatMap(([folder, heading]) => {
    const lines = assumptions
      .filter(({ file }) => folderOf(file) === folder)
      .map(({ sentence }) => `- ${capital(sentence)}`);
    return lines.length > 0 ? [`## ${heading}\n\n${lines.join("\n")}`] : [];
  });
  return { "docs/sandbox-assumptions.md": `${INTRO}\n\n${chapters.join("\n\n")}\n` };
}

const INTRO = `# What the sandbox assumes

The service's description leaves these points open. The [sandbox](guides/sandbox.md) behaves as listed here; the service may behave
differently. [Doctor](guides/doctor.md) asks your service about those that the library itself relies on.`;

const folderOf = (file: string) => file.slice(0, Math.max(0, file.indexOf("/")));

// A sentence that begins with code keeps the code as it is.
const capital = (sentence: string) => sentence.charAt(0).toUpperCase() + sentence.slice(1);
