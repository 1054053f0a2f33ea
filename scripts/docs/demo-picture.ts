/** Picture of a terminal after a run of the demo, shown in README.md. */
export const PICTURE = "docs/diagrams/demo.svg";

const WIDTH = 716;
const LINE = 22;
const TOP = 62;
// Right edges of the columns for requests and milliseconds.
const COLUMNS = { requests: 610, ms: 692 };
const FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace";
// One file for both color schemes, because the picture follows the reader's preference.
const LIGHT =
  "--paper: #f6f8fa; --frame: #d1d9e0; --text: #1f2328; --dim: #59636e; --trouble: #9a6700; --prompt: #1a7f37";
const DARK =
  "--paper: #0d1117; --frame: #3d444d; --text: #e6edf3; --dim: #9198a1; --trouble: #d29922; --prompt: #3fb950";

export function drawDemo(output: string): string {
  const lines = output.trim().split("\n");
  const height = TOP + lines.length * LINE + 12;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
<title>What npm run demo prints</title>
<style>
svg { ${LIGHT} }
@media (prefers-color-scheme: dark) { svg { ${DARK} } }
text { font: 13px ${FONT}; fill: var(--text); white-space: pre }
.dim { fill: var(--dim) } .trouble { fill: var(--trouble) } .prompt { fill: var(--prompt) } .end { text-anchor: end }
</style>
<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="10" style="fill: var(--paper); stroke: var(--frame)"/>
<text x="24" y="36"><tspan class="prompt">$</tspan> npm run demo</text>
${lines.map((line, at) => draw(line, TOP + at * LINE)).join("\n")}
</svg>
`;
}

function draw(line: string, y: number): string {
  const step = /^(.+?) +(\d+) requests? +(\d+) ms$/.exec(line);
  if (!step) return `<text class="dim" x="24" y="${y}">${escapeXml(line)}</text>`;
  const [, done = "", requests = "", ms = ""] = step;
  const trouble = /^(?:\w+Error|Got|Lost)\b/.test(done) ? ' class="trouble"' : "";
  const unit = requests === "1" ? "request" : "requests";
  return [
    `<text${trouble} x="24" y="${y}">${escapeXml(done)}</text>`,
    `<text class="dim end" x="${COLUMNS.requests}" y="${y}">${requests} ${unit}</text>`,
    `<text class="dim end" x="${COLUMNS.ms}" y="${y}">${ms} ms</text>`,
  ].join("");
}

function escapeXml(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
