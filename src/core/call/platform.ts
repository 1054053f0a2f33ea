import type { Observers } from "../events.js";
import type { Operation } from "../operation.js";
import type { Compile } from "../schema/compile.js";
import type { CallMessage, RequestMessage } from "./trace.js";

/**
 * The parts that differ between platforms. This file is for browsers and Workers; Node, Bun and Deno load
 * platform-server.ts instead: `#platform` in the `imports` of package.json selects the file.
 */

/**
 * Makes a fast check of a frequently used schema on platforms that allow generated code. Null here: a
 * Content-Security-Policy may forbid generated code and report even the attempt, so schemas stay interpreted.
 */
export const compileCheck: Compile | null = null;

/** Refuses Node versions that are too old; not needed here. */
export const refuseOldNode = (): void => undefined;

/** Returns a client's observers unchanged: there is no environment variable that could turn on logging. */
export const withLog = (on: Observers): Observers => on;

/** Prevents fetch from crashing the process; not needed here. */
export const protectFetch = (_origin: string): void => undefined;

/** Always false: this platform has no diagnostics channels. */
export const isTraced = (): boolean => false;

/** Makes a call and notifies the subscribers of its channel; never called here. */
export const traceCall = <T>(
  _operation: Operation,
  _client: CallMessage["client"],
  work: (message: CallMessage) => Promise<T>,
): Promise<T> => work({} as CallMessage);

/** Sends a request. On other platforms it also notifies the subscribers of its channel. */
export const traceRequest = <T>(
  _call: CallMessage | undefined,
  _attempt: number,
  work: (within: RequestMessage["within"]) => Promise<T>,
): Promise<T> => work(undefined);
