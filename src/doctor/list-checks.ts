import { linkTarget } from "../core/link-header.js";
import { API_PREFIX, type Api } from "../core/operation.js";
import { pluralize } from "../work/pluralize.js";
import {
  areEqual,
  asAssumed,
  type Check,
  differs,
  failureVerdict,
  idsOf,
  inWords,
  isNew,
  notSeen,
  safeName,
  type Verdict,
} from "./check.js";
import type { Evidence, Pages } from "./evidence.js";
import { isId, type Reading } from "./reader.js";

const NO_LIST = notSeen("no list that accepts page numbers has five records");

export const LIST_CHECKS: readonly Check[] = [
  {
    id: "ascending_ids",
    question: "Do lists come in ascending order of their identifiers?",
    guide: "mirror",
    promise: "`run` finds new records on the last page of a list between sweeps",
    todo: "Nothing is lost: sweeps find the new records of these lists. Sweep the lists more often if that is too late.",
    judge({ samples, tails }) {
      const lists = samples.filter(({ records }) => records.length > 1 && hasIds(records));
      if (lists.length === 0) return notSeen("no list has two records");
      const others = lists.filter(({ records }) => !isAscending(records));
      const ends = tails.filter(({ sample, tail }) => !isAscending([...sample.records.slice(-1), ...tail.records]));
      const wrong = [...others, ...ends.map(({ tail }) => tail)];
      if (wrong.length > 0) return differs(`not ascending: ${resources(wrong)}`);
      const read = tails.filter(({ tail }) => tail.page);
      return asAssumed(`ascending in ${pluralize(lists.length, "list")}, up to the last page in ${read.length}`);
    },
  },
  {
    id: "identifiers",
    question: "Are identifiers unique within a list?",
    guide: "mirror",
    promise: "each row of a mirror is one record of the service",
    todo: "Do not mirror or correct these lists, and report this to the maintainers of the library.",
    judge({ samples, tails }) {
      const lists = samples.filter(({ records }) => records.length > 0);
      if (lists.length === 0) return notSeen("no list has records");
      const others = lists.filter(({ records }) => !hasIds(records) || new Set(idsOf(records)).size < records.length);
      if (others.length > 0)
        return differs(`missing, not a positive whole number, or twice on a page: ${resources(others)}`);
      const all = [...lists, ...tails.map(({ tail }) => tail)];
      const digits = String(Math.max(...all.flatMap(({ records }) => idsOf(records) as number[]))).length;
      return asAssumed(`in ${pluralize(lists.length, "list")}, of at most ${pluralize(digits, "digit")}`);
    },
  },
  {
    id: "page_size",
    question: "Does a page hold as many records as per_page asks for, up to 100?",
    guide: "mirror-promises",
    promise: "reading a list costs one request per 100 records",
    todo: "Use this page size to calculate the requests of a sweep. Nothing is lost, because the library follows links.",
    judge({ samples, pages }) {
      if (pages?.first.page && pages.first.records.length > 2) {
        return differs(`${pages.first.resource}: ${pluralize(pages.first.records.length, "record")} instead of 2`);
      }
      const longer = samples.filter(({ page }) => page?.hasNext);
      const wrong = longer.filter(({ records }) => records.length !== 100 && !isShort(records.length, 100));
      if (wrong.length > 0) {
        return differs(
          wrong.map(({ resource, records }) => `${resource}: ${records.length} instead of 100`).join(", "),
        );
      }
      if (!pages?.first.page && longer.length === 0) return pages ? failureVerdict(pages.first) : NO_LIST;
      return asAssumed(`2 records, and 100 in ${pluralize(longer.length, "longer list")}`);
    },
  },
  {
    id: "whole_pages",
    question: "Is every page before the last one complete?",
    guide: "mirror-promises",
    promise: "lists are complete, so a record that they lack is gone",
    todo: "Compare the number of records with the service's website: the key may not see all, or new records may appear late.",
    judge({ samples, pages }) {
      const longer = samples.filter(({ page }) => page?.hasNext);
      if (longer.length === 0 && !pages?.first.page) return NO_LIST;
      const short = longer.filter(({ records }) => isShort(records.length, 100));
      const two = pages?.first.page?.hasNext && isShort(pages.first.records.length, 2) ? [pages.first] : [];
      const seen = [...two, ...short].map(({ resource, records }) => `${resource}: ${records.length}`);
      return seen.length > 0
        ? differs(`pages with fewer records than they should have: ${inWords(seen)}`)
        : asAssumed(pluralize(longer.length, "longer list"));
    },
  },
  {
    id: "next_page",
    question: "Does the Link header lead to the next page?",
    guide: "pagination",
    promise: "a loop over a list yields every record once",
    todo: "Do not rely on lists: they end early or repeat records. Look for a proxy that changes the Link header.",
    judge: ({ pages, two }) =>
      withPages(pages, ({ sample, first, next }) => {
        if (!next) return differs(`${first.resource}: a page with records after it has no link to the next`);
        if (!next.page) return failureVerdict(next);
        const known = idsOf(first.records);
        const last = known.at(-1);
        const found = idsOf(next.records);
        const follows = found.length > 0 && !found.some((id) => known.includes(id));
        // A record missing from the page fails `whole_pages`; here only the records after the page matter.
        const rest = idsOf(sample.records).slice(idsOf(sample.records).indexOf(last) + 1);
        const expected = rest.slice(0, found.length);
        const isNext = follows && areEqual(found.slice(0, expected.length), expected);
        if (!isNext) return differs(`${first.resource}: the link leads to other records`);
        const isFull = two?.reading.page?.hasNext === true && two.reading.records.length === two.ids.length;
        return asAssumed(`${first.resource}${isFull ? "; a full last page links to another page" : ""}`);
      }),
  },
  {
    id: "cursor_repeat",
    question: "Does the same link return the same page again?",
    guide: "pagination",
    promise: "a page that failed is fetched again, and a checkpoint can be resumed",
    todo: "Do not resume from checkpoints: read lists from their start.",
    judge: ({ pages }) => withPages(pages, ({ next, again }) => samePage(next, again)),
  },
  {
    id: "cursor_life",
    question: "Is a cursor still valid after the other requests?",
    guide: "export",
    promise: "an interrupted list continues from its checkpoint",
    todo: "Expect interrupted exports and mirrors to read their list from its start.",
    judge: ({ pages }) => withPages(pages, ({ next, later }) => samePage(next, later)),
  },
  {
    id: "wrong_cursor",
    question: "Is a wrong cursor refused by an error that mentions the cursor?",
    guide: "pagination",
    promise: "an expired checkpoint causes a CheckpointError, after which a mirror reads the list from its start",
    todo: "Where you resume, also catch ApiError. Report the status to the maintainers of the library.",
    judge: ({ pages }) =>
      withPages(pages, ({ wrong }) => {
        if (!wrong) return notSeen("the link to the next page has no cursor");
        if (wrong.page) return differs("a wrong cursor is ignored: the list begins again");
        if (wrong.ofCursor) return asAssumed(String(wrong.status));
        return wrong.refusal
          ? differs(`${wrong.status}, and the error does not mention the cursor`)
          : failureVerdict(wrong);
      }),
  },
  {
    id: "link_address",
    question: "Does the Link header name the requested address?",
    guide: "networking",
    promise: "the library takes only the query of a link and keeps your address",
    todo: "Nothing to do for this library. Other programs that follow the link would send the key to that address.",
    judge: ({ baseUrl, samples, pages }) => judgeLinks(baseUrl, pages ? [pages.first, ...samples] : samples),
  },
  {
    id: "page_numbers",
    question: "Does a list accept `page`, and does it show which page is the last?",
    guide: "fewer-requests",
    promise: "`with` and `getMany` learn from the first page whether reading a list is cheaper than single records",
    todo: "Nothing breaks: `with` and `getMany` then read up to twice as many pages.",
    judge: ({ pages }) =>
      withPages(pages, ({ first, next, second }) => {
        if (!second.page) return second.status === null ? failureVerdict(second) : differs(`page: ${second.failure}`);
        if (areEqual(idsOf(second.records), idsOf(first.records))) return differs("page is ignored");
        if (next?.page && !areEqual(idsOf(second.records), idsOf(next.records))) {
          return differs("page 2 is not the page that the first page links to");
        }
        if (second.page.pageCount === null)
          return differs("`page` works, but no link with rel=last shows the number of pages");
        return asAssumed("`page` works, and a link shows which page is the last");
      }),
  },
  {
    id: "total",
    question: "Does the Total header show how many records a list has?",
    guide: "export",
    promise: "progress shows a percentage and an expected end, and list.count() returns a number",
    todo: "Nothing is lost: only progress and count() use it. Do not rely on page.total and count().",
    judge: judgeTotals,
  },
];

function withPages(pages: Pages | null, judge: (pages: Pages) => Verdict): Verdict {
  if (!pages) return NO_LIST;
  return pages.first.page ? judge(pages) : failureVerdict(pages.first);
}

function samePage(next: Reading | null, again: Reading | null): Verdict {
  if (!next?.page) return next ? failureVerdict(next) : notSeen("there is no next page");
  if (!again) return notSeen("there is no next page");
  if (!again.page) {
    return again.status === null
      ? failureVerdict(again)
      : differs(`${again.resource}: the link was refused: ${again.failure}`);
  }
  const same = areEqual(idsOf(next.records), idsOf(again.records));
  return same ? asAssumed(`${again.resource}: the same page`) : differs(`${again.resource}: other records`);
}

function judgeLinks(baseUrl: string, lists: readonly Reading[]): Verdict {
  for (const { headers, operation, page } of lists) {
    const target = page ? linkTarget(headers.get("link"), "next") : null;
    if (target === null) continue;
    const asked = new URL(`${baseUrl}/`);
    const link = URL.parse(target, asked);
    if (!link) return differs("the link cannot be read as an address");
    if (link.host !== asked.host) return differs("the link names another host");
    if (link.protocol !== asked.protocol) return differs("the link has another protocol");
    if (link.pathname !== `${asked.pathname}${API_PREFIX[operation.apis[0] as Api]}/${operation.path}`) {
      return differs("the link names another path");
    }
    const form = target.startsWith("/") ? ", without the host" : "";
    const bare = /rel=next/.test(headers.get("link") ?? "") ? ", its relation without quotes" : "";
    return asAssumed(`the same host and path${form}${bare}`);
  }
  return notSeen("no list has a second page");
}

// Up to a twentieth of the records may be missing: hidden from the key, or too new to be listed. A larger gap means
// another page size.
function isShort(records: number, size: number): boolean {
  return records < size && records >= size - Math.max(1, size / 20);
}

function judgeTotals({ samples, pages, emails }: Evidence): Verdict {
  const full = [...samples, ...emails.map(({ nobody }) => nobody)].map((reading) => ({ ...reading, size: 100 }));
  const starts = pages ? [{ ...pages.first, size: 2 }, ...full] : full;
  const lists = starts.flatMap(({ page, ...reading }) => (page ? [{ ...reading, page }] : []));
  if (lists.length === 0) return notSeen("no list could be read");
  const told = lists.filter(({ headers }) => headers.has("total"));
  const others = lists.flatMap(({ headers }) =>
    [...headers.keys()].filter((name) => /(^|-)(total|count)(-|$)/.test(name) && name !== "total").map(safeName),
  );
  const wrong = told.filter(({ page, records, size }) => {
    if (page.total === null || page.total < records.length) return true;
    // Skips full pages without a link: more records may follow.
    return page.hasNext ? page.total === records.length : records.length < size && page.total !== records.length;
  });
  if (wrong.length > 0) return differs(`the Total header has no number or a wrong one: ${resources(wrong)}`);
  if (others.length > 0) {
    return {
      ...isNew(`other headers: ${inWords(others)}`),
      todo: "Tell the maintainers of the library the name of the header.",
    };
  }
  if (told.length === 0) return notSeen("no list has the Total header, so progress has no percentage");
  return asAssumed(pluralize(told.length, "response"));
}

function isAscending(records: Reading["records"]): boolean {
  return records.every(({ id }, at) => at === 0 || !isId(id) || id >= (records[at - 1]?.id as number));
}

function hasIds(records: Reading["records"]): boolean {
  return records.every(({ id }) => isId(id));
}

function resources(readings: readonly Reading[]): string {
  return inWords(readings.map(({ resource }) => resource));
}
