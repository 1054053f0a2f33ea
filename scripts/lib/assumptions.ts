import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { MANNERS, PARTS } from "../../src/sandbox/data/manners.ts";
import type { SandboxManners } from "../../src/sandbox/index.ts";
import { type GeneratedFiles, ROOT } from "./generated.ts";
import { OPEN } from "./open-points.ts";

// Comments of the form `// rule: a sentence.`, on one or several lines, document the sandbox's behavior beyond the
// service description.
const MARK = /^ *\/\/ rule: (.*(?:\n *\/\/ (?!rule:).*)*)/gm;
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

/** A rule of the sandbox's school, and the file that implements it. */
export interface Rule {
  /** Path below `src/sandbox`. */
  readonly file: string;
  readonly sentence: string;
}

/** Reads the rules from the comments of the sandbox's sources. */
export function readRules(): Rule[] {
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
 * @throws Error for a rule in a folder that has no heading.
 */
export function assumptionsDoc(rules: readonly Rule[] = readRules()): GeneratedFiles {
  const stray = rules.find(({ file }) => !(folderOf(file) in CHAPTERS));
  if (stray) throw new Error(`${FOLDER}${stray.file} has a rule, but its folder has no heading in ${import.meta.url}`);
  const manners = Object.entries(PARTS).map(([part, rows]) => {
    const lines = Object.keys(rows).map((name) => mannerLine(name as keyof SandboxManners));
    return `### ${part}\n\n| manner | what is open | values |\n| --- | --- | --- |\n${lines.join("\n")}`;
  });
  const chapters = Object.entries(CHAPTERS).flatMap(([folder, heading]) => {
    const lines = rules.filter(({ file }) => folderOf(file) === folder).map(({ sentence }) => `- ${capital(sentence)}`);
    return lines.length > 0 ? [`### ${heading}\n\n${lines.join("\n")}`] : [];
  });
  const parts = [INTRO, ...manners, RULES, ...chapters];
  return { "docs/sandbox-assumptions.md": `${parts.join("\n\n")}\n` };
}

function mannerLine(name: keyof SandboxManners): string {
  const { values = [], least, beyond = [] } = MANNERS[name] ?? {};
  const shown = values.map((value) => (value === least ? `**${value}**` : value));
  return `| \`${name}\` | ${OPEN[name]} | ${[...shown, ...beyond.map((value) => `*${value}*`)].join(", ")} |`;
}

const INTRO = `# What the sandbox assumes

The service's description leaves these points open. The service may behave differently.

## Manners

Behavior that is visible on the wire is a manner: \`createSandbox({ manners: { custom: "replaced" } })\`. The first value is the sandbox's own, the bold one that
of the [least kind service](guides/unkind-service.md); values in italics contradict a document and have to be chosen by name.`;

const RULES = `## Rules

The rules of the sandbox's school are not manners. The library relies on two of them: \`enroll\` treats an enrollment as the result
of an approved order, and \`enroll\` and \`markAttendance\` leave out enrollments with the status \`canceled\`. Change rules by [faults](guides/sandbox-faults.md).`;

const folderOf = (file: string) => file.slice(0, Math.max(0, file.indexOf("/")));

// A sentence that begins with code keeps its case.
const capital = (sentence: string) => sentence.charAt(0).toUpperCase() + sentence.slice(1);
