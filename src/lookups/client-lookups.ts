import type { EndedCall } from "../core/call/ended-call.js";
import type { CallRequest } from "../core/call/request.js";
import { ConnectionError } from "../core/errors.js";
import { isPlainObject } from "../core/json.js";
import type { PageSource, SendPage } from "../core/lists/page-source.js";
import type { JoinOptions } from "../core/lists/references.js";
import type { Lookups } from "../core/transport.js";
import type { LookupContext, LookupParts, Reading } from "./context.js";

type Code = typeof import("./code.js");

export interface LoadedLookups {
  readonly code: Code;
  readonly state: InstanceType<Code["LookupState"]>;
}

/** The lookups of one client; loads their code on demand. */
export class ClientLookups implements Lookups {
  readonly #make: (code: Code) => LoadedLookups;
  #loading: Promise<LoadedLookups> | null = null;
  #loaded: LoadedLookups | null = null;

  constructor(parts: LookupParts, transport: Reading, settings: LookupContext["settings"]) {
    this.#make = (code) => ({ code, state: new code.LookupState(parts, transport, settings) });
  }

  wrote(request: CallRequest, ended: EndedCall | null): void {
    this.#loaded?.state.wrote(request, ended);
  }

  join(source: PageSource, references: Readonly<Record<string, true>>, given: JoinOptions): PageSource {
    // Copied, because the references are read later and must not reflect the caller's changes.
    const names = isPlainObject(references) ? { ...references } : references;
    const options = isPlainObject(given) ? { ...given } : given;
    const { operation, shape } = source;
    return source.derive({
      references: [...shape.references, ...Object.keys(names ?? {})],
      send: async (request, plainly) => {
        const send: SendPage = (each) => shape.send(each, plainly);
        const { code, state } = await this.load();
        return code.sendJoined(operation, send, request, names, options, state);
      },
    });
  }

  /**
   * Loads the code for lookups, which few programs need; see docs/decisions/lookups.md. The build for Node includes
   * that code.
   * @throws ConnectionError if a web page cannot load the code.
   */
  load(): Promise<LoadedLookups> {
    this.#loading ??= import("./code.js").then(
      (code) => {
        this.#loaded = this.#make(code);
        return this.#loaded;
      },
      (error) => {
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
