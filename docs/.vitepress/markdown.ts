import { readFileSync } from "node:fs";
import type { MarkdownRenderer } from "vitepress";
import { diagramsIn } from "../../scripts/docs/diagrams.ts";
import { ROOT } from "../../scripts/lib/generated.ts";

/** What the site shows otherwise than a repository's web pages do: diagrams as pictures, links to programs as text. */
export function adapt(md: MarkdownRenderer): void {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index];
    if (token?.info.trim() !== "mermaid") return fence?.(tokens, index, options, env, self) ?? "";
    const diagram = diagramsIn(readFileSync(`${ROOT}ARCHITECTURE.md`, "utf8")).find(({ source }) =>
      token.content.includes(source),
    );
    if (!diagram) throw new Error("a diagram of the documents has no picture: run npm run docs:diagrams");
    return `<div tabindex="0" style="overflow-x: auto">${readFileSync(ROOT + diagram.file, "utf8")}</div>`;
  };
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

// The site has documents and pictures, no copies of programs and data.
function isProgram(href: string): boolean {
  return !/^([a-z]+:|#)/.test(href) && !/\.(md|svg)(#|$)/.test(href);
}
