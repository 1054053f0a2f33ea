/** A request as the console shows it. */
export interface ConsoleRequest {
  readonly n: number;
  readonly at: number;
  readonly method: string;
  /** With its parameters. */
  readonly path: string;
  readonly operation: string | null;
  readonly status: number | null;
}

/** What the server tells an open console. */
export interface ConsoleNews {
  readonly requests: readonly ConsoleRequest[];
  readonly state: {
    readonly now: number;
    readonly requests: number;
    readonly inWindow: number;
    readonly faults: number;
    readonly deliveries: number;
    /** The manners that are not the sandbox's own. */
    readonly manners: readonly string[];
  };
}

/** Records that a search found, and the collections that their references name. */
interface Found {
  readonly records: readonly Readonly<Record<string, unknown>>[];
  readonly links: Readonly<Record<string, string>>;
}

/** The style of the console. */
export const CONSOLE_STYLE = `:root{color-scheme:light dark;--line:#8886;--bad:#a40e26;--good:#0a6b2d}
@media (prefers-color-scheme:dark){:root{--bad:#ff9aa2;--good:#7ee2a0}}
body{background:Canvas;color:CanvasText;font:1rem/1.4 system-ui,sans-serif;margin:0 auto;max-width:80rem;padding:0 1rem 2rem}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin:1.5rem 0 .5rem}
button,input,select,textarea{font:inherit;padding:.25rem .5rem}textarea{box-sizing:border-box;width:100%;min-height:6rem;font-family:monospace}
.bar{display:flex;flex-wrap:wrap;gap:.5rem;align-items:end;margin:.5rem 0}
.scroll{overflow:auto;max-height:24rem;border:1px solid var(--line)}
table{border-collapse:collapse;width:100%}th,td{text-align:start;padding:.15rem .5rem;border-bottom:1px solid var(--line);vertical-align:top;white-space:nowrap}
#requests td:nth-child(3){white-space:normal;overflow-wrap:anywhere;min-width:12rem}
thead{position:sticky;top:0;background:Canvas}
section{border-top:1px solid var(--line);margin-top:1.5rem}label{display:inline-block}textarea+*,label+.bar,.scroll+label{margin-top:.5rem}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.5rem 0;padding:.5rem;border:1px solid var(--line);border-radius:.25rem}
label:has(textarea){display:block}button,input,select,textarea{border:1px solid #8888;border-radius:.25rem}button{cursor:pointer}
td button{border:0;background:none;color:inherit;text-decoration:underline;padding:0;text-align:start;cursor:pointer}
.bad{color:var(--bad);font-weight:600}.good{color:var(--good)}
svg{display:block;width:100%;height:1.5rem;stroke:currentColor}`;

/** The body of the console, without data. */
export const CONSOLE_BODY = `<main>
<h1>Sandbox console</h1>
<p id="state" aria-live="off">Connecting</p><p id="message" role="status"></p>
<div class="bar" role="group" aria-label="Sandbox"><button data-run="five">Clock +5 minutes</button><button data-run="reset">Reset</button></div>
<section aria-labelledby="h-requests"><h2 id="h-requests">Requests</h2>
<div class="bar"><label>Filter by operation, path or status <input id="filter" type="search"></label><button data-run="more">Show more</button> <span id="count" role="status"></span></div>
<svg id="axis" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true"><path id="ok"/><path id="ko" class="bad"/></svg>
<div class="scroll" tabindex="0" role="region" aria-label="List of requests"><table><thead><tr><th scope="col">Time</th><th scope="col">Status</th><th scope="col">Request</th><th scope="col">Operation</th></tr></thead><tbody id="requests"></tbody></table></div>
<div id="call" hidden><h2 id="call-title" tabindex="-1"></h2><p id="hint"></p>
<div class="bar"><button data-run="typescript">Copy as TypeScript</button><button data-run="curl">Copy as curl</button></div>
<pre id="sent" tabindex="0" role="region" aria-label="What was sent"></pre><pre id="got" tabindex="0" role="region" aria-label="What came back"></pre></div></section>
<section aria-labelledby="h-faults"><h2 id="h-faults">Faults</h2>
<div class="bar" role="group" aria-label="Faults for the next request"><button data-fault='{"status":429,"retryAfter":2}'>429, Retry-After 2</button><button data-fault='{"status":503}'>503</button><button data-fault='{"reset":true,"applied":true}'>Response lost</button><button data-fault='{"cut":true}'>Truncated</button><button data-run="clear">Remove all</button></div>
<label>A fault as JSON <textarea id="fault">{ "operation": "accounts.list", "status": 500, "times": 2 }</textarea></label><button data-run="fault">Add the fault</button>
<pre id="pending" tabindex="0" role="region" aria-label="Pending faults"></pre></section>
<section aria-labelledby="h-data"><h2 id="h-data">Data</h2>
<div class="bar"><label>Records <select id="names"></select></label><label>Search by text or id <input id="search" type="search"></label><button data-run="data">Show</button> <span id="found" role="status"></span></div>
<div class="scroll" tabindex="0" role="region" aria-label="Records"><table><thead id="columns"></thead><tbody id="records"></tbody></table></div>
<label>A record as JSON: with the id of one that is there it changes that one <textarea id="record">{}</textarea></label>
<div class="bar"><button data-run="save">Add or change</button><button data-run="delete">Delete this id</button></div></section>
<section aria-labelledby="h-hooks"><h2 id="h-hooks">Webhooks</h2>
<div class="bar"><label>Event <input id="event" value="account.created"></label><button data-run="send">Send a sample</button><button data-run="hooks">Show deliveries</button></div>
<div class="scroll" tabindex="0" role="region" aria-label="Deliveries"><table><thead><tr><th scope="col">Event</th><th scope="col">Outcome</th><th scope="col">Delivery</th></tr></thead><tbody id="hooks"></tbody></table></div></section>
</main>`;

/**
 * What runs in the page; its text is sent to the browser, so it uses nothing from outside. It keeps the last 1,000 requests and draws
 * at most as many as were asked for, 100 at first.
 */
export function consoleScript(): void {
  const KEPT = 1000;
  const token = location.hash.slice(1);
  let kept: ConsoleRequest[] = [];
  let limit = 100;
  let isDue = false;
  let chosen: { request: ConsoleRequest; call: Record<string, unknown> | null } | null = null;
  const drawn = new Map<number, HTMLTableRowElement>();
  const at = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
  const field = (id: string) => at<HTMLInputElement>(id).value;
  const say = (text: string) => {
    at("message").textContent = text;
  };
  const cell = (row: HTMLTableRowElement, text: string, kind = "") => {
    const made = row.insertCell();
    made.textContent = text;
    made.className = kind;
    return made;
  };
  const buttonIn = (row: HTMLTableRowElement, text: string, run: () => unknown) => {
    const made = document.createElement("button");
    made.textContent = text;
    made.onclick = () => attempt(run);
    row.insertCell().append(made);
  };

  async function ask(path: string, method = "GET", body?: unknown): Promise<unknown> {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`console/${path}`, { method, headers: { "x-sandbox-console": token }, ...init });
    const text = await response.text();
    const answer = text === "" ? null : JSON.parse(text);
    if (!response.ok) throw new Error(answer?.message ?? `${response.status}`);
    return answer;
  }

  async function attempt(run: () => unknown): Promise<void> {
    try {
      await run();
    } catch (error) {
      say(`Not done: ${(error as Error).message}`);
    }
  }

  const isBad = (status: number | null) => status === null || status >= 400;

  function matching(): ConsoleRequest[] {
    const wanted = field("filter").toLowerCase();
    return kept.filter(({ operation, path, status }) =>
      `${operation} ${path} ${status ?? "no answer"}`.toLowerCase().includes(wanted),
    );
  }

  function draw(): void {
    isDue = false;
    const all = matching();
    const shown = all.slice(-limit).reverse();
    const numbers = new Set(shown.map(({ n }) => n));
    for (const [n, row] of drawn) {
      if (numbers.has(n)) continue;
      row.remove();
      drawn.delete(n);
    }
    const list = at("requests");
    let next = list.firstChild;
    for (const one of shown) {
      const known = drawn.get(one.n);
      if (known && known === next) next = next.nextSibling;
      else list.insertBefore(known ?? rowOf(one), next);
    }
    at("count").textContent = `${shown.length} of ${all.length} shown, the last ${kept.length} kept`;
    const [first, last] = [kept[0]?.at ?? 0, kept.at(-1)?.at ?? 0];
    const marks = (isWanted: (status: number | null) => boolean) =>
      all
        .filter(({ status }) => isWanted(status))
        .map((one) => `M${Math.round(((one.at - first) / Math.max(1, last - first)) * 999)} 0v10`)
        .join("");
    at("ok").setAttribute(
      "d",
      marks((status) => !isBad(status)),
    );
    at("ko").setAttribute("d", marks(isBad));
  }

  function rowOf(one: ConsoleRequest): HTMLTableRowElement {
    const row = document.createElement("tr");
    cell(row, new Date(one.at).toISOString().slice(11, 23));
    cell(row, String(one.status ?? "no answer"), isBad(one.status) ? "bad" : "good");
    buttonIn(row, `${one.method} ${one.path}`, () => choose(one));
    cell(row, one.operation ?? "(unknown path)");
    drawn.set(one.n, row);
    return row;
  }

  const HINTS: Readonly<Record<string, string>> = {
    401: "The key is missing or has expired.",
    403: "The key is unknown, was revoked, lacks a scope, belongs to another API, or the school has the feature off.",
    404: "There is no such record or path; for some records also: the key may not see it.",
    429: "The budget of the key is used up: Retry-After says when there is room.",
  };

  async function choose(request: ConsoleRequest): Promise<void> {
    const call = (await ask(`call/${request.n}`)) as Record<string, unknown> | null;
    chosen = { request, call };
    at("call").hidden = false;
    at("call-title").textContent = `${request.status ?? "no answer"} ${request.method} ${request.path}`;
    at("hint").textContent = HINTS[String(request.status)] ?? "";
    const { params, query, body, data, error } = call ?? {};
    at("sent").textContent = `Sent ${JSON.stringify({ params, query, body }, null, 2)}`;
    at("got").textContent = `Came back ${JSON.stringify(error ?? data ?? null, null, 2)}`;
    at("call-title").focus();
  }

  async function copy(text: string): Promise<void> {
    await navigator.clipboard.writeText(text);
    say(`Copied: ${text}`);
  }

  function typescript(): string {
    const { params = {}, query, body } = chosen?.call ?? {};
    const given = [...Object.values(params as object), ...(body == null ? [] : [body])];
    if (query && Object.keys(query).length > 0) given.push(query);
    return `await client.${chosen?.request.operation}(${given.map((value) => JSON.stringify(value)).join(", ")});`;
  }

  function curl(): string {
    const { body } = chosen?.call ?? {};
    const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
    const url = location.origin + chosen?.request.path;
    const sent = body == null ? "" : ` -H 'content-type: application/json' -d ${quoted(JSON.stringify(body))}`;
    return `curl -X ${chosen?.request.method} ${quoted(url)} -H "authorization: Bearer $EDUCATION_ADMIN_API_KEY"${sent}`;
  }

  async function pending(): Promise<void> {
    at("pending").textContent = `Pending: ${JSON.stringify(await ask("control/faults"), null, 2)}`;
  }

  async function data(): Promise<Found["records"]> {
    const counts = (await ask("control/data")) as Record<string, number>;
    const names = at<HTMLSelectElement>("names");
    const name = names.value;
    names.replaceChildren(...Object.entries(counts).map(([one, count]) => new Option(`${one} (${count})`, one)));
    names.value = name === "" ? "accounts" : name;
    const query = `search=${encodeURIComponent(field("search"))}`;
    const { records, links } = (await ask(`data/${names.value}?${query}`)) as Found;
    at("found").textContent = `${records.length} shown of ${counts[names.value]}`;
    // What says most in the first columns: plain values and references.
    const isPlain = (name: string) => records.some((record) => !/^(object|undefined)$/.test(typeof record[name]));
    const columns = Object.keys(records[0] ?? {}).filter((name) => name !== "id" && isPlain(name));
    const shown = [...columns.filter((name) => links[name]), ...columns.filter((name) => !links[name])].slice(0, 6);
    const head = document.createElement("tr");
    for (const name of ["id", ...shown]) {
      const made = document.createElement("th");
      made.scope = "col";
      made.textContent = name;
      head.append(made);
    }
    at("columns").replaceChildren(head);
    at("records").replaceChildren(
      ...records.map((record) => {
        const row = document.createElement("tr");
        buttonIn(row, String(record.id), () => edit(record));
        for (const name of shown) {
          const value = record[name];
          const to = links[name];
          if (to === undefined || value == null) cell(row, String(value ?? "").slice(0, 80));
          else buttonIn(row, `${to} ${value}`, () => follow(to, Number(value)));
        }
        return row;
      }),
    );
    return records;
  }

  function edit(record: Found["records"][number] | undefined): void {
    at<HTMLTextAreaElement>("record").value = JSON.stringify(record ?? {}, null, 2);
    at("record").focus();
  }

  // Shows the record that a reference names.
  async function follow(to: string, id: number): Promise<void> {
    at<HTMLSelectElement>("names").value = to;
    at<HTMLInputElement>("search").value = String(id);
    const [record] = await data();
    edit(record);
  }

  async function hooks(): Promise<void> {
    const list = (await ask("control/deliveries")) as {
      id: string;
      event: string;
      outcome: string;
      status: number;
      body: unknown;
    }[];
    const attempts = new Map<string, number>();
    const numbered = list.map((one) => {
      const attempt = (attempts.get(one.id) ?? 0) + 1;
      attempts.set(one.id, attempt);
      return { ...one, attempt };
    });
    at("hooks").replaceChildren(
      ...numbered
        .slice(-100)
        .reverse()
        .map(({ id, event, outcome, status, body, attempt }) => {
          const row = document.createElement("tr");
          cell(row, event);
          cell(row, `attempt ${attempt}: ${outcome} ${status ?? ""}`, isBad(status) ? "bad" : "good");
          buttonIn(row, `Deliver ${id} again`, async () => {
            await ask("deliver", "POST", { event, record: (body as { event_data: unknown }).event_data });
            await hooks();
          });
          return row;
        }),
    );
  }

  const ACTIONS: Readonly<Record<string, () => unknown>> = {
    five: () => ask("control/clock", "POST", { advanceMs: 300_000 }),
    reset: async () => {
      await ask("control/reset", "POST");
      kept = [];
      draw();
    },
    more: () => {
      limit += 100;
      draw();
    },
    clear: async () => {
      await ask("control/faults", "DELETE");
      await pending();
    },
    fault: async () => {
      await ask("control/faults", "POST", JSON.parse(field("fault")));
      await pending();
    },
    typescript: () => copy(typescript()),
    curl: () => copy(curl()),
    data,
    hooks,
    save: async () => {
      await ask("control/data", "POST", { [field("names")]: [JSON.parse(field("record"))] });
      await data();
    },
    delete: async () => {
      await ask(`data/${field("names")}/${JSON.parse(field("record")).id}`, "DELETE");
      await data();
    },
    send: async () => {
      await ask("deliver", "POST", { event: field("event") });
      await hooks();
    },
  };

  for (const one of document.querySelectorAll<HTMLButtonElement>("button[data-run]")) {
    one.onclick = () =>
      attempt(async () => {
        say("");
        await ACTIONS[one.dataset.run ?? ""]?.();
        if (at("message").textContent === "") say(`Done: ${one.textContent}`);
      });
  }
  for (const one of document.querySelectorAll<HTMLButtonElement>("button[data-fault]")) {
    one.onclick = () =>
      attempt(async () => {
        await ask("control/faults", "POST", JSON.parse(one.dataset.fault ?? "{}"));
        await pending();
        say(`Done: ${one.textContent}`);
      });
  }
  at("filter").oninput = draw;
  at("names").onchange = () => attempt(data);

  function told({ requests, state }: ConsoleNews): void {
    kept = [...kept, ...requests].slice(-KEPT);
    const { now, faults, deliveries, manners } = state;
    const own = manners.length > 0 ? `; manners: ${manners.join(", ")}` : "";
    at("state").textContent =
      `${new Date(now).toISOString().slice(0, 19)} UTC, ${state.requests} requests, ${state.inWindow} of them in the last 5 minutes, ${faults} faults pending, ${deliveries} deliveries${own}`;
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(draw);
  }

  async function listen(): Promise<void> {
    const response = await fetch("console/feed", { headers: { "x-sandbox-console": token } });
    if (!response.ok || !response.body) throw new Error("open the address that the sandbox printed, with its token");
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += part.value;
      const events = text.split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) told(JSON.parse(event.slice("data: ".length)));
    }
    throw new Error("the sandbox has stopped; start it and open its new address");
  }

  void attempt(listen);
  void attempt(data);
  void attempt(pending);
}
