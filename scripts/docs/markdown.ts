/** Converts text of the sources to Markdown in which Vue finds neither tags nor placeholders. */
export function plain(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part : part.replaceAll("<", "&lt;").replaceAll("{{", "&#123;&#123;")))
    .join("");
}

/** A list whose lines each begin with a name; the theme draws a line below each. */
export function fieldList(lines: readonly string[]): string {
  return `<div class="fields">\n\n${lines.join("\n")}\n\n</div>`;
}
