// Draws the diagrams of documents as pictures for the site: `npm run docs:diagrams`, after a change to one of them. It
// needs Chromium, because mermaid measures its texts in a browser.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Chromium } from "../check-package/chromium.ts";
import { ROOT } from "../lib/generated.ts";
import { install } from "../lib/install.ts";
import { DOCUMENTS, diagramsIn, stampOf } from "./diagrams.ts";

const HERE = fileURLToPath(new URL("./", import.meta.url));
const MERMAID = `${HERE}node_modules/mermaid/dist/mermaid.min.js`;

/** The part of mermaid's global that is used here. */
interface Mermaid {
  initialize(config: object): void;
  render(id: string, source: string): Promise<{ svg: string }>;
}

install(HERE);
const chromium = await Chromium.launch();
try {
  const { page } = await chromium.open("about:blank");
  await page.addScriptTag({ path: MERMAID });
  for (const diagram of DOCUMENTS.flatMap((name) => diagramsIn(readFileSync(ROOT + name, "utf8")))) {
    const svg = await page.evaluate(async (source) => {
      const { mermaid } = globalThis as unknown as { mermaid: Mermaid };
      // Uses SVG text, because a picture shows no HTML.
      const plain = { htmlLabels: false, flowchart: { htmlLabels: false } };
      mermaid.initialize({ startOnLoad: false, theme: "neutral", fontFamily: "sans-serif", ...plain });
      return (await mermaid.render("diagram", source)).svg;
    }, diagram.source);
    mkdirSync(dirname(ROOT + diagram.file), { recursive: true });
    writeFileSync(
      ROOT + diagram.file,
      `${svg.replace('style="', 'style="background: white; ')}\n${stampOf(diagram)}\n`,
    );
    console.log(`${diagram.file}: drawn`);
  }
} finally {
  await chromium.close();
}
