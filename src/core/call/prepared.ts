import type { Operation } from "../operation.js";
import type { Priority } from "../options.js";
import type { Patience } from "../settings.js";
import type { ResponseInfo } from "./call.js";
import type { BuiltRequest } from "./request.js";

/** An answer read to the end and checked. */
export interface Answer {
  /** The record, the array of a list, or undefined when there was no body. */
  readonly data: unknown;
  readonly response: ResponseInfo;
}

/** A request to one page or record, already built. */
export interface Prepared {
  readonly row: Operation;
  readonly request: BuiltRequest;
  readonly patience: Patience;
  readonly priority: Priority;
  readonly signal: AbortSignal | undefined;
}
