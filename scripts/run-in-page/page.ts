// The code behind a Run button, loaded on the first click.
import type { Block } from "./programs.ts";
import type { Job, News } from "./worker.ts";

const MOST_CHARACTERS = 10_000;
const MOST_REQUESTS = 500;
const running = new WeakMap<HTMLElement, Worker>();
/** The last program that ended; work that it started and did not await may still print. */
let ended: Worker | undefined;

/** Runs a button's program up to the button's block, or stops it, and shows the block's output and requests below. */
export function run(button: HTMLElement): void {
  const place = button.closest<HTMLElement>("[data-program]");
  if (!place) return;
  const worker = running.get(button);
  if (!worker) start(button, place);
  else {
    worker.terminate();
    end(button, place, "Stopped");
  }
}

function start(button: HTMLElement, place: HTMLElement): void {
  ended?.terminate();
  makeEditable(codeOf(place), button);
  const { status, output, requests } = emptyPanel(place);
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  let count = 0;
  worker.onmessage = ({ data }: MessageEvent<News>) => {
    if ("printed" in data) {
      output.hidden = false;
      output.textContent = `${output.textContent}${data.printed}`.slice(0, MOST_CHARACTERS);
    } else if ("request" in data) {
      count += 1;
      requests.hidden = false;
      if (count <= MOST_REQUESTS) requests.querySelector("tbody")?.append(rowOf(data.request));
    } else {
      ended = worker;
      end(button, place, data.failure ?? `Done. Requests: ${count}`);
    }
  };
  worker.onerror = ({ message }) =>
    end(button, place, message || "The program could not be loaded: check the network.");
  worker.postMessage(jobOf(place));
  running.set(button, worker);
  button.ariaLabel = "Stop";
  status.textContent = "Running";
}

function end(button: HTMLElement, place: HTMLElement, text: string): void {
  running.delete(button);
  button.ariaLabel = "Run";
  const status = place.querySelector("[role=status]");
  if (status) status.textContent = text;
}

/** The program up to a block, with the edits made in the page. */
function jobOf(place: HTMLElement): Job {
  const name = place.dataset.program ?? "";
  // Each example is a separate program, and a page may show it twice.
  if (name.startsWith("src/")) return { blocks: [blockOf(place)], files: [] };
  const all = [...document.querySelectorAll<HTMLElement>("[data-program]")];
  const isOfProgram = (one: HTMLElement) => one.dataset.program === name;
  return {
    blocks: all
      .slice(0, all.indexOf(place) + 1)
      .filter(isOfProgram)
      .map(blockOf),
    files: all.filter((one) => !isOfProgram(one)).map(blockOf),
  };
}

function blockOf(place: HTMLElement): Block {
  const [file = ""] = place.dataset.program?.split(":") ?? [];
  return { file, line: Number(place.dataset.line), code: codeOf(place).innerText.trimEnd() };
}

function codeOf(place: HTMLElement): HTMLElement {
  return place.querySelector("pre code") as HTMLElement;
}

function makeEditable(code: HTMLElement, button: HTMLElement): void {
  if (code.isContentEditable) return;
  code.contentEditable = "plaintext-only";
  code.spellcheck = false;
  code.role = "textbox";
  code.ariaMultiLine = "true";
  code.ariaLabel = "Code. Edit it; Control and Enter run it.";
  code.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    button.click();
  });
}

function emptyPanel(place: HTMLElement): Record<"status" | "output" | "requests", HTMLElement> {
  place.querySelector(".run-panel")?.remove();
  const panel = document.createElement("div");
  panel.className = "run-panel";
  panel.innerHTML = `<p role="status"></p><pre hidden tabindex="0" role="region" aria-label="Output"></pre>
<div hidden tabindex="0" role="region" aria-label="Requests"><table><thead><tr><th>Status</th><th>Request</th><th>Operation</th></tr></thead>
<tbody></tbody></table></div>`;
  place.append(panel);
  const [status, output, requests] = [...panel.children] as [HTMLElement, HTMLElement, HTMLElement];
  return { status, output, requests };
}

function rowOf({ status, method, path, operation }: Extract<News, { request: unknown }>["request"]): HTMLElement {
  const row = document.createElement("tr");
  for (const text of [String(status ?? "no answer"), `${method} ${path}`, operation ?? "(unknown path)"]) {
    row.insertCell().textContent = text;
  }
  row.className = status === null || status >= 400 ? "bad" : "";
  return row;
}
