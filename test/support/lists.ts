import { type FetchCall, jsonResponse, type RecordingFetch, recordingFetch } from "./fetch.js";
import { contactRecord } from "./records.js";

/** A fetch that serves a list of contacts in pages with cursors. The request determines the page size. */
export interface ScriptedList extends RecordingFetch {
  /** The numbers of the requested pages, in the order of the requests. */
  readonly pages: number[];
  /** Returns this response to the next request for a page. */
  failNext(page: number, response: () => Response | Promise<Response>): void;
}

/** Makes a list of `total` contacts with the ids 1 to `total`. */
export function scriptedList(total: number): ScriptedList {
  const pages: number[] = [];
  const failures = new Map<number, () => Response | Promise<Response>>();
  const { fetch, calls } = recordingFetch(({ url }: FetchCall) => {
    const size = Number(url.searchParams.get("per_page") ?? "25");
    const from = Number((url.searchParams.get("cursor") ?? "after-0").slice("after-".length));
    const page = from / size + 1;
    pages.push(page);
    const fail = failures.get(page);
    failures.delete(page);
    if (fail) return fail();
    const to = Math.min(total, from + size);
    const records = Array.from({ length: to - from }, (_, at) => contactRecord(from + at + 1));
    const link = `<https://inner.example/x?cursor=after-${to}>; rel="next"`;
    return jsonResponse(records, 200, to < total ? { link } : {});
  });
  return { fetch, calls, pages, failNext: (page, response) => failures.set(page, response) };
}

/** The numbers from 1 to `last`. */
export function upTo(last: number): number[] {
  return Array.from({ length: last }, (_, at) => at + 1);
}
