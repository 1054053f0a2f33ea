import type { Observers } from "../events.js";
import type { Operation } from "../operation.js";
import type { Compile } from "../schema/compile.js";
import type { CallMessage, RequestMessage } from "./trace.js";

/**
 * What differs between platforms. This is the file for browsers and Workers; Node, Bun and Deno get platform-server.ts
 * instead: package.json's `imports` chooses, as `#platform`.
 */

/**
 * Makes a fast check of a hot schema, where code may be generated. Here a Content-Security-Policy may forbid that, and the
 * attempt alone would be reported: schemas stay interpreted.
 */
export const compileCheck: Compile | null = null;

/** Refuses a Node that is too old; not needed here. */
export const refuseOldNode = (): void => undefined;

/** The observers of a client as they are: there is no environment that asks for a log. */
export const withLog = (on: Observers): Observers => on;

/** Keeps fetch from ending the process; not needed here. */
export const protectFetch = (_origin: string): void => undefined;

/** Always false: this platform has no diagnostics channels. */
export const isTraced = (): boolean => false;

/** Makes a call and tells the subscribers of its channel; never called here. */
export const traceCall = <T>(
  _operation: Operation,
  _client: CallMessage["client"],
  work: (message: CallMessage) => Promise<T>,
): Promise<T> => work({} as CallMessage);

/** Sends a request and tells the subscribers of its channel, of which there are none here. */
export const traceRequest = <T>(
  _call: CallMessage | undefined,
  _attempt: number,
  work: (within: RequestMessage["within"]) => Promise<T>,
): Promise<T> => work(undefined);
