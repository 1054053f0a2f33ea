// Diagrams of documents: mermaid in the document, which GitHub draws, and a picture of each for the site.
import { createHash } from "node:crypto";

export interface Diagram {
  /** Heading above the diagram. */
  readonly title: string;
  /** Source in mermaid. */
  readonly source: string;
  /** Path of its picture, below the project's folder. */
  readonly file: string;
}

/** The documents that have diagrams. */
export const DOCUMENTS: readonly string[] = ["ARCHITECTURE.md", "docs/guides/records.md"];

/** The folder of the pictures, below the project's folder. */
const PICTURES = "docs/diagrams";

const HEADING_OR_DIAGRAM = /^## (?<title>.+)$|^```mermaid\n(?<source>[\s\S]*?)^```$/gm;

/** The diagrams of a document, at most one below each heading. */
export function diagramsIn(document: string): Diagram[] {
  const diagrams: Diagram[] = [];
  let title = "";
  for (const { groups } of document.matchAll(HEADING_OR_DIAGRAM)) {
    if (groups?.title) title = groups.title;
    if (!groups?.source) continue;
    diagrams.push({
      title,
      source: groups.source,
      file: `${PICTURES}/${title.toLowerCase().replaceAll(" ", "-")}.svg`,
    });
  }
  return diagrams;
}

/** The comment at the end of a picture that identifies its source. */
export function stampOf({ source }: Diagram): string {
  return `<!-- ${createHash("sha256").update(source).digest("hex").slice(0, 16)} -->`;
}
