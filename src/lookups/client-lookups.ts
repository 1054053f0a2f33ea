import type { EndedCall } from "../core/call/ended-call.js";
import type { CallRequest } from "../core/call/request.js";
import { ConnectionError } from "../core/errors.js";
import { isPlainObject } from "../core/json.js";
import { DerivedSource, type PageSource, type SentPage } from "../core/lists/page-source.js";
import type { JoinOptions } from "../core/lists/references.js";
import type { Lookups } from "../core/transport.js";
import type { LoadedLookups } from "./code.js";

/** The lookups of one client; loads their code on demand. */
export class ClientLookups implements Lookups {
  readonly #make: (code: typeof import("./code.js")) => LoadedLookups;
  #loading: Promise<LoadedLookups> | null = null;
  #loaded: LoadedLookups | null = null;

  constructor(make: (code: typeof import("./code.js")) => LoadedLookups) {
    this.#make = make;
  }

  wrote(request: CallRequest, ended: EndedCall | null): void {
    this.#loaded?.wrote(request, ended);
  }

  joined(source: PageSource, references: Readonly<Record<string, true>>, given: JoinOptions): PageSource {
    return new JoinedSource(source, references, given, this);
  }

  /**
   * Few programs need it: docs/decisions/lookups.md. The build for Node includes it.
   * @throws ConnectionError if a page cannot load it.
   */
  load(): Promise<LoadedLookups> {
    this.#loading ??= import("./code.js").then(
      (code) => {
        this.#loaded = this.#make(code);
        return this.#loaded;
      },
      (error) => {
        // The next call tries again.
        this.#loading = null;
        throw new ConnectionError("The library's code for lookups could not be loaded. Nothing was sent.", {
          cause: error,
          outcome: "not_sent",
        });
      },
    );
    return this.#loading;
  }
}

/** A list whose records hold the records they refer to. */
export class JoinedSource extends DerivedSource {
  readonly #names: Readonly<Record<string, true>>;
  readonly #join: JoinOptions;
  readonly #lookups: ClientLookups;

  constructor(source: PageSource, names: Readonly<Record<string, true>>, join: JoinOptions, lookups: ClientLookups) {
    super(source);
    // Read later, maybe several times: they must not follow changes that the caller makes.
    this.#names = isPlainObject(names) ? { ...names } : names;
    this.#join = isPlainObject(join) ? { ...join } : join;
    this.#lookups = lookups;
  }

  override get references(): readonly string[] {
    return [...this.source.references, ...Object.keys(this.#names ?? {})];
  }

  override async send(request: CallRequest): Promise<SentPage> {
    return (await this.#lookups.load()).fetchJoined(this.source, request, this.#names, this.#join);
  }

  protected of(source: PageSource): PageSource {
    return new JoinedSource(source, this.#names, this.#join, this.#lookups);
  }
}
