import type { CallContext } from "../core/call/attempt.js";
import type { WithResponse } from "../core/call/call.js";
import type { CallRequest } from "../core/call/request.js";
import { type EndedCall, runCall } from "../core/call/run-call.js";
import { PageSource } from "../core/lists/page-source.js";
import type { JoinOptions } from "../core/lists/references.js";
import { resourceNameOf } from "../core/operation.js";
import type { ListOptions } from "../core/options.js";
import type { Settings } from "../core/settings.js";
import type { Lookups, Reading } from "../core/transport.js";
import type * as code from "./code.js";
import type { LookupContext, LookupParts } from "./context.js";
import type { InFlight } from "./in-flight.js";
import { Writes } from "./writes.js";

// Few programs need it: docs/decisions/lookups.md. The build for Node has it at hand.
const loadCode = () => import("./code.js");

/** The lookups of one client: what they share, and what loads the code that they are made of. */
export class ClientLookups implements Lookups {
  readonly #context: LookupContext;
  /** Writes that this client has sent, by resource. */
  readonly #writes = new Map<string, Writes>();
  #inFlight: Promise<InFlight | null> | null = null;

  constructor(transport: Reading, { clock }: Settings, parts: LookupParts) {
    const writesTo = (operation: string) => this.#writesTo(operation);
    this.#context = { ...parts, transport, clock, writesTo, readers: new Map() };
  }

  async share(request: CallRequest, context: CallContext): Promise<EndedCall> {
    const inFlight = await this.#shared();
    return inFlight ? inFlight.run(request, context) : runCall(request, context);
  }

  wrote({ operation, params }: CallRequest, ended: EndedCall | null): void {
    void this.#inFlight?.then((inFlight) => inFlight?.clear());
    if (ended && isRefused(ended)) return;
    const writes = this.#writesTo(operation.id);
    const ids = new Set([params.id, ended && idOf(ended)].map(Number).filter((id) => id > 0));
    if (ids.size === 0) writes.note(null);
    for (const id of ids) writes.note(id);
  }

  joined(source: PageSource, references: Readonly<Record<string, true>>, given: JoinOptions): PageSource {
    return new JoinedSource(source, references, given, this);
  }

  /** Makes a function that loads the code of lookups and makes something of it. */
  load<T extends object>(make: (loaded: typeof code, context: LookupContext) => T): () => Promise<T> {
    return async () => make(await loadCode(), this.#context);
  }

  #writesTo(operation: string): Writes {
    const resource = resourceNameOf(operation);
    const known = this.#writes.get(resource) ?? new Writes();
    this.#writes.set(resource, known);
    return known;
  }

  // Null when its code cannot be loaded now, as in a page that is offline: then nothing is shared.
  #shared(): Promise<InFlight | null> {
    this.#inFlight ??= loadCode()
      .then(({ InFlight }) => new InFlight())
      .catch(() => {
        this.#inFlight = null;
        return null;
      });
    return this.#inFlight;
  }
}

// Nothing has changed where the service refused the request, or did not get it.
function isRefused({ result, maybeApplied }: EndedCall): boolean {
  return !maybeApplied && !(result.kind === "response" && result.status < 400);
}

// The identifier of the record that a write answers with, such as the one it created.
function idOf({ result }: EndedCall): unknown {
  if (result.kind !== "response" || result.body.kind !== "json") return null;
  return (result.body.value as { readonly id?: unknown } | null)?.id;
}

/** A list whose records hold the records they refer to. */
export class JoinedSource extends PageSource {
  readonly #source: PageSource;
  readonly #names: Readonly<Record<string, true>>;
  readonly #join: JoinOptions;
  readonly lookups: ClientLookups;

  constructor(source: PageSource, names: Readonly<Record<string, true>>, join: JoinOptions, lookups: ClientLookups) {
    super(source.calls, lookups, source.operation, {}, source.options);
    this.#source = source;
    this.#names = names;
    this.#join = join;
    this.lookups = lookups;
  }

  override get references(): readonly string[] {
    return [...this.#source.references, ...Object.keys(this.#names ?? {})];
  }

  override prepare(perPage: number | null): CallRequest {
    return this.#source.prepare(perPage);
  }

  override async fetch(request: CallRequest): Promise<WithResponse<unknown>> {
    const send = this.lookups.load(({ sendJoined }, context) =>
      sendJoined(this.#source, request, this.#names, this.#join, context),
    );
    return await send();
  }

  override withOptions(options: ListOptions): PageSource {
    return new JoinedSource(this.#source.withOptions(options), this.#names, this.#join, this.lookups);
  }
}
