export interface ConsoleRequest {
  readonly n: number;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly operation: string | null;
  readonly status: number | null;
}

export interface ConsoleNews {
  readonly requests: readonly ConsoleRequest[];
  readonly state: {
    readonly now: number;
    readonly requests: number;
    readonly inWindow: number;
    readonly faults: number;
    readonly deliveries: number;
    /** The settings in the sandbox's `manners` that differ from the defaults. */
    readonly manners: readonly string[];
  };
}

interface Found {
  readonly records: readonly Readonly<Record<string, unknown>>[];
  readonly links: Readonly<Record<string, string>>;
}

/**
 * The page's script. Its source text is sent to the browser, so it must not refer to anything but its argument.
 * Keeps the last 1,000 requests and shows 100 of them, or more on demand.
 */
export function consoleScript(quoteForShell: (word: string) => string): void {
  const KEPT = 1000;
  const token = location.hash.slice(1);
  let kept: ConsoleRequest[] = [];
  let limit = 100;
  let isDue = false;
  let isAxisDue = false;
  let chosen: { request: ConsoleRequest; call: Record<string, unknown> | null } | null = null;
  const drawn = new Map<number, HTMLTableRowElement>();
  const at = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
  const field = (id: string) => at<HTMLInputElement>(id).value;
  const say = (text: string) => {
    at("message").textContent = text;
  };
  const make = <Tag extends keyof HTMLElementTagNameMap>(tag: Tag, textContent = "", className = "") =>
    Object.assign(document.createElement(tag), { textContent, className });
  const cell = (row: HTMLTableRowElement, text: string) => row.insertCell().append(text);
  const mark = (row: HTMLTableRowElement, text: string, status: number | null) =>
    row.insertCell().append(make("span", text, `mark ${toneOf(status)}`));
  const buttonIn = (row: HTMLTableRowElement, text: string, run: () => unknown) =>
    row.insertCell().append(Object.assign(make("button", text), { onclick: () => attempt(run) }));

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

  const toneOf = (status: number | null) =>
    status === 429 ? "warn" : status === null || status >= 400 ? "bad" : "good";
  // The start of a cursor or delivery identifier is enough to recognize it.
  const short = (text: string) => text.replace(/[\w%+-]{17,}=*/g, (long) => `${long.slice(0, 8)}…`);

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
    at("count").textContent = `${shown.length} of ${all.length} matches shown, from the last ${kept.length} requests`;
    // The axis is redrawn less often than the list, because redrawing it lays out every mark again.
    if (isAxisDue) return;
    isAxisDue = true;
    setTimeout(() => {
      isAxisDue = false;
      drawAxis(matching().slice(-100));
    }, 200);
  }

  // A pause between requests is drawn as five seconds at most, but labeled with its real length.
  function drawAxis(all: readonly ConsoleRequest[]): void {
    const WAIT = 500;
    const MOST = 5_000;
    let at = 0;
    const places = all.map((one, n) => (at += n === 0 ? 0 : Math.min(MOST, one.at - (all[n - 1]?.at ?? 0))));
    const part = (place: number) => `${(place / Math.max(1, at)) * 98 + 0.5}%`;
    document.getElementById("axis")?.replaceChildren(
      ...all.flatMap((one, n) => {
        const tick = make("i", "", toneOf(one.status));
        tick.style.left = part(places[n] ?? 0);
        const before = all[n - 1];
        const waited = before ? one.at - before.at : 0;
        if (waited < WAIT) return tick;
        const time = waited < 60_000 ? `${(waited / 1000).toFixed(1)} s` : `${Math.round(waited / 60_000)} min`;
        const wait = make("b", `${before?.status === 429 ? "after 429: " : ""}${time}`);
        wait.style.left = `calc(${part(places[n - 1] ?? 0)} + 3px)`;
        wait.style.width = `calc(${(Math.min(MOST, waited) / Math.max(1, at)) * 98}% - 3px)`;
        return [wait, tick];
      }),
    );
  }

  function rowOf(one: ConsoleRequest): HTMLTableRowElement {
    const row = make("tr");
    const [path = "", query = ""] = one.path.split("?");
    buttonIn(row, one.operation ?? `${one.method} ${short(path)}`, () => choose(one));
    mark(row, String(one.status ?? "no answer"), one.status);
    const ids = one.operation === null ? [] : (path.match(/\/\d+(?=\/|$)/g) ?? []).map((id) => id.slice(1));
    cell(row, [...ids, ...(query === "" ? [] : query.split("&").map(decodeURIComponent))].map(short).join("  "));
    cell(row, new Date(one.at).toISOString().slice(11, 23));
    drawn.set(one.n, row);
    return row;
  }

  const HINTS: Readonly<Record<string, string>> = {
    401: "The key is missing or has expired.",
    403: "The key is unknown, was revoked, lacks a scope or belongs to another API, or the school has not enabled the feature.",
    404: "There is no such record or path, or the key cannot see the record.",
    429: "The key's request budget is used up: Retry-After says when to try again.",
  };

  async function choose(request: ConsoleRequest): Promise<void> {
    const call = (await ask(`call/${request.n}`)) as Record<string, unknown> | null;
    chosen = { request, call };
    at("call").hidden = false;
    at("none").hidden = true;
    for (const [n, row] of drawn) row.className = n === request.n ? "chosen" : "";
    at("call-title").textContent = `${request.operation ?? "Unknown path"}: ${request.status ?? "no answer"}`;
    at("call-path").textContent = `${request.method} ${request.path}`;
    at("hint").textContent = HINTS[String(request.status)] ?? "";
    const { params, query, body, data, error } = call ?? {};
    at("sent").textContent = JSON.stringify({ params, query, body }, null, 2);
    at("got").textContent = JSON.stringify(error ?? data ?? null, null, 2);
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
    const url = location.origin + chosen?.request.path;
    const sent = body == null ? "" : ` -H 'content-type: application/json' -d ${quoteForShell(JSON.stringify(body))}`;
    return `curl -X ${chosen?.request.method} ${quoteForShell(url)} -H "authorization: Bearer $EDUCATION_ADMIN_API_KEY"${sent}`;
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
    // The most informative columns come first: references, then other plain values.
    const isPlain = (name: string) => records.some((record) => !/^(object|undefined)$/.test(typeof record[name]));
    const columns = Object.keys(records[0] ?? {}).filter((name) => name !== "id" && isPlain(name));
    const shown = [...columns.filter((name) => links[name]), ...columns.filter((name) => !links[name])].slice(0, 6);
    const head = make("tr");
    head.append(...["id", ...shown].map((name) => Object.assign(make("th", name), { scope: "col" })));
    at("columns").replaceChildren(head);
    at("records").replaceChildren(
      ...records.map((record) => {
        const row = make("tr");
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
          const row = make("tr");
          cell(row, event);
          mark(row, `attempt ${attempt}: ${outcome} ${status ?? ""}`, status);
          buttonIn(row, `Deliver ${short(id)} again`, async () => {
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
  const tabs = [...document.querySelectorAll<HTMLButtonElement>("[role=tab]")];
  for (const [n, tab] of tabs.entries()) {
    tab.onclick = () => {
      for (const one of tabs) {
        one.ariaSelected = String(one === tab);
        at(one.dataset.tab ?? "").hidden = one !== tab;
      }
    };
    tab.onkeydown = ({ key }) => {
      const step = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
      if (step !== 0) tabs[(n + step + tabs.length) % tabs.length]?.focus();
    };
  }
  at("filter").oninput = draw;
  at("names").onchange = () => attempt(data);

  function showNews({ requests, state }: ConsoleNews): void {
    kept = [...kept, ...requests].slice(-KEPT);
    const { now, faults, deliveries, manners } = state;
    const mannersText = manners.length > 0 ? `; manners: ${manners.join(", ")}` : "";
    at("state").textContent =
      `${new Date(now).toISOString().slice(0, 19).replace("T", " ")} UTC, ${state.requests} requests, ${state.inWindow} of them in the last 5 minutes, ${faults} faults pending, ${deliveries} deliveries${mannersText}`;
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
      for (const event of events) showNews(JSON.parse(event.slice("data: ".length)));
    }
    throw new Error("the sandbox has stopped; start it and open its new address");
  }

  void attempt(listen);
  void attempt(data);
  void attempt(pending);
}
