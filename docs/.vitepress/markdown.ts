import { readFileSync } from "node:fs";
import type { MarkdownRenderer } from "vitepress";
import { DOCUMENTS, diagramsIn } from "../../scripts/docs/diagrams.ts";
import { ROOT } from "../../scripts/lib/generated.ts";

// By its address, so that VitePress does not bundle it into this folder: it imports the package by the package's own name, which
// only resolves below the project's package.json and not below the one here.
const marks = new URL("../../scripts/run-in-page/marks.ts", import.meta.url).href;
const { withButton } = (await import(marks)) as typeof import("../../scripts/run-in-page/marks.ts");

/**
 * What the site shows otherwise than a repository's web pages do: diagrams as pictures, links to programs as text, an installation
 * for each package manager.
 */
export function adapt(md: MarkdownRenderer): void {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index];
    const html = fence?.(tokens, index, options, env, self) ?? "";
    if (/^ts( example)?$/.test(token?.info.trim() ?? "")) return withButton(html, token.content);
    if (token?.info.trim() !== "mermaid") return html;
    const diagram = DOCUMENTS.flatMap((name) => diagramsIn(readFileSync(ROOT + name, "utf8"))).find(({ source }) =>
      token.content.includes(source),
    );
    if (!diagram) throw new Error("a diagram of the documents has no picture: run npm run docs:diagrams");
    return `<div tabindex="0" style="overflow-x: auto">${readFileSync(ROOT + diagram.file, "utf8")}</div>`;
  };
  md.core.ruler.push("package-managers", (state) => {
    state.tokens = state.tokens.flatMap((token) => {
      if (token.type !== "fence" || token.info !== "sh" || !/^npm install /m.test(token.content)) return token;
      const fences = Object.entries(MANAGERS).map(([name, words]) => {
        const fence = new state.Token("fence", "code", 0);
        const content = words.reduce((text, [npm, other]) => text.replaceAll(npm, other), token.content);
        return Object.assign(fence, { info: `sh [${name}]`, content, markup: token.markup, map: token.map });
      });
      const border = (nesting: 1 | -1) =>
        new state.Token(`container_code-group_${nesting === 1 ? "open" : "close"}`, "div", nesting);
      return [border(1), ...fences, border(-1)];
    });
  });
  md.core.ruler.push("landing", (state) => {
    if ((state.env as { relativePath?: string }).relativePath !== "index.md") return;
    const html = (content: string) => Object.assign(new state.Token("html_block", "", 0), { content });
    // The head of the landing page says what README.md says above its program. Cards stand beside that program.
    const begin = state.tokens.findIndex(({ type }) => type === "container_code-group_open");
    const end = state.tokens.findLastIndex(({ type, info }) => type === "fence" && info === "ts") + 1;
    state.tokens = [
      html('<div class="first-screen"><div>'),
      ...state.tokens.slice(begin, end),
      html(`</div><div class="cards">${CARDS.map(cardOf).join("")}</div></div>`),
      ...state.tokens.slice(end),
    ];
  });
  md.core.ruler.push("programs", ({ tokens }) => {
    for (const { children } of tokens) {
      let open = false;
      for (const child of children ?? []) {
        if (child.type === "link_open") open = isProgram(child.attrGet("href") ?? "");
        if (!open || !/^link_(open|close)$/.test(child.type)) continue;
        if (child.type === "link_close") open = false;
        Object.assign(child, { type: "text", tag: "", nesting: 0, content: "" });
      }
    }
  });
}

// What the documents write for npm, in the words of each package manager.
const MANAGERS: Readonly<Record<string, readonly (readonly [npm: string, other: string])[]>> = {
  npm: [],
  pnpm: [
    ["npm init -y && npm pkg", "pnpm init && pnpm pkg"],
    ["npm install", "pnpm add"],
  ],
  bun: [
    ["npm init -y && npm pkg set type=module", "bun init -y"],
    ["npm install", "bun add"],
  ],
};

const CARDS = [
  {
    title: "Do a job",
    text: "Enroll a group, credit an invoice, mark attendance, send reminders. Each guide is a program that you can start again after a crash.",
    guide: "enroll",
    more: "Enroll people",
  },
  {
    title: "Move data",
    text: "Write lists to CSV files and workbooks. Import files by a plan that you approve first. Keep a database copy that records every change it finds.",
    guide: "choose",
    more: "What to use for which job",
  },
  {
    title: "Trust a call",
    text: "The limit is kept and harmless calls are retried. When a response is lost, the error says what is known of the write.",
    guide: "retries",
    more: "Retries and unknown outcomes",
  },
  {
    title: "Test without a school",
    text: "429s, lost responses, webhooks and a clock that you move: your tests need no network.",
    guide: "testing",
    more: "Test your integration",
  },
] as const;

function cardOf({ title, text, guide, more }: (typeof CARDS)[number]): string {
  return `<p><strong>${title}</strong><br>${text}<br><a href="/docs/guides/${guide}.html">${more}</a></p>`;
}

// The site has documents and pictures, no copies of programs and data.
function isProgram(href: string): boolean {
  return !/^([a-z]+:|#)/.test(href) && !/\.(md|svg|txt)(#|$)/.test(href);
}
