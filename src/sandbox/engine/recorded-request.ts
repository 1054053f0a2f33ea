/** A request that the sandbox received, without its token. */
export interface RecordedRequest {
  /** Id of the operation: `invoices.list`; null when the path belongs to none. */
  readonly operation: string | null;
  readonly method: string;
  /** The whole path, including anything before `api/…`, without the query. */
  readonly path: string;
  /** Query parameters as names and values, in the order received. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** The parsed body; text when it is not JSON, null when there was none. */
  readonly body: unknown;
  /** Status of the response; null before the response, and when the connection broke before it. */
  readonly status: number | null;
  /** When it arrived, by the sandbox's clock, in milliseconds since the epoch. */
  readonly at: number;
}
