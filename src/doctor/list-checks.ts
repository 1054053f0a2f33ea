import { linkTarget } from "../core/lists/position.js";
import { API_PREFIX, type Api } from "../core/operation.js";
import {
  areEqual,
  asAssumed,
  type Check,
  counted,
  differs,
  failed,
  idsOf,
  inWords,
  named,
  notSeen,
  type Verdict,
} from "./check.js";
import type { Evidence, Pages } from "./evidence.js";
import type { Reading } from "./reader.js";

const NO_LIST = notSeen("no list with page numbers has five records");

/** What lists do: their order, their pages, their filters. */
export const LIST_CHECKS: readonly Check[] = [
  {
    id: "ascending_ids",
    question: "Do lists come in ascending order of their identifiers?",
    guide: "mirror",
    promise: "run finds new records on the last page of a list between sweeps",
    todo: "Nothing is lost: new records of these lists are found by sweeps. Sweep them more often if that is too late.",
    judge({ samples }) {
      const lists = samples.filter(({ records }) => records.length > 1 && hasIds(records));
      if (lists.length === 0) return notSeen("no list has two records");
      const others = lists.filter(({ records }) =>
        records.some((record, at) => at > 0 && !isAfter(record, records[at - 1])),
      );
      if (others.length > 0) return differs(`not ascending: ${resources(others)}`);
      return asAssumed(`ascending in ${counted(lists.length, "list")}`);
    },
  },
  {
    id: "identifiers",
    question: "Has every record of a list an identifier of its own?",
    guide: "mirror",
    promise: "a row of the copy is one record of the service",
    todo: "Do not mirror or correct these lists, and report it to the maintainers of the library.",
    judge({ samples }) {
      const lists = samples.filter(({ records }) => records.length > 0);
      if (lists.length === 0) return notSeen("no list has records");
      const others = lists.filter(({ records }) => !hasIds(records) || new Set(idsOf(records)).size < records.length);
      if (others.length > 0)
        return differs(`missing, no positive whole number, or twice on a page: ${resources(others)}`);
      return asAssumed(`in ${counted(lists.length, "list")}`);
    },
  },
  {
    id: "page_size",
    question: "Does a page hold as many records as per_page asks for, up to 100?",
    guide: "synchronising",
    promise: "reading a list costs one request per 100 records",
    todo: "Calculate the requests of a sweep with the size seen. Nothing is lost, because the library follows links.",
    judge({ samples, pages }) {
      const longer = samples.filter(({ page }) => page?.hasNext);
      const wrong = longer.filter(({ records }) => records.length !== 100);
      if (pages?.first.page && pages.first.records.length !== 2) {
        return differs(`${pages.first.resource}: ${counted(pages.first.records.length, "record")} instead of 2`);
      }
      if (wrong.length > 0) {
        return differs(
          wrong.map(({ resource, records }) => `${resource}: ${records.length} instead of 100`).join(", "),
        );
      }
      if (!pages?.first.page && longer.length === 0) return pages ? failed(pages.first) : NO_LIST;
      return asAssumed(`2 and, in ${counted(longer.length, "longer list")}, 100`);
    },
  },
  {
    id: "next_page",
    question: "Does the Link header lead to the page that follows?",
    guide: "pagination",
    promise: "a loop gives every record once",
    todo: "Do not rely on lists: they end early or repeat records. Look for a proxy that changes the Link header.",
    judge: ({ pages }) =>
      withPages(pages, ({ sample, first, next }) => {
        if (!next) return differs(`${first.resource}: a page with records after it has no link to the next`);
        if (!next.page) return failed(next);
        const known = idsOf(first.records);
        const expected = idsOf(sample.records).slice(known.length, known.length + next.records.length);
        const found = idsOf(next.records);
        const follows = found.length > 0 && !found.some((id) => known.includes(id));
        const isNext = follows && areEqual(found.slice(0, expected.length), expected);
        return isNext ? asAssumed(first.resource) : differs(`${first.resource}: the link leads to other records`);
      }),
  },
  {
    id: "cursor_repeat",
    question: "Does the same link give the same page again?",
    guide: "pagination",
    promise: "a page that failed is fetched again, and a checkpoint can be resumed",
    todo: "Do not resume from checkpoints: read lists from their start.",
    judge: ({ pages }) => withPages(pages, ({ next, again }) => samePage(next, again)),
  },
  {
    id: "cursor_life",
    question: "Is a cursor still good after the other requests?",
    guide: "export",
    promise: "an interrupted list continues from its checkpoint",
    todo: "Expect interrupted exports and mirrors to read their list from its start.",
    judge: ({ pages }) => withPages(pages, ({ next, later }) => samePage(next, later)),
  },
  {
    id: "wrong_cursor",
    question: "Is a wrong cursor refused by an error that mentions the cursor?",
    guide: "pagination",
    promise: "an expired checkpoint is a CheckpointError, after which a mirror reads the list from its start",
    todo: "Catch ApiError too where you resume. Report the status to the maintainers of the library.",
    judge: ({ pages }) =>
      withPages(pages, ({ wrong }) => {
        if (!wrong) return notSeen("the link to the next page has no cursor");
        if (wrong.page) return differs("a wrong cursor is ignored: the list begins again");
        if (wrong.ofCursor) return asAssumed(String(wrong.status));
        return wrong.refusal ? differs(`${wrong.status}, and the error does not mention the cursor`) : failed(wrong);
      }),
  },
  {
    id: "link_address",
    question: "Does the Link header name the address that was asked?",
    guide: "networking",
    promise: "the library takes only the query of a link and keeps your address",
    todo: "Nothing for this library. Other programs that follow the link would send the key to that address.",
    judge: ({ baseUrl, samples, pages }) => judgeLinks(baseUrl, pages ? [pages.first, ...samples] : samples),
  },
  {
    id: "page_numbers",
    question: "Does a list take page, and say which page is the last?",
    guide: "fewer-requests",
    promise: "with and getMany learn from the first page whether reading a list is cheaper than single records",
    todo: "Nothing breaks: with and getMany then read up to twice as many pages.",
    judge: ({ pages }) =>
      withPages(pages, ({ first, next, second }) => {
        if (!second.page) return second.status === null ? failed(second) : differs(`page: ${second.failure}`);
        if (areEqual(idsOf(second.records), idsOf(first.records))) return differs("page is ignored");
        if (next?.page && !areEqual(idsOf(second.records), idsOf(next.records))) {
          return differs("page 2 has other records than the page after the first");
        }
        if (second.page.pageCount === null)
          return differs("page is honoured, but no link of rel last says how many there are");
        return asAssumed("page is honoured, and a link says which is the last");
      }),
  },
  {
    id: "total",
    question: "Do lists report no total?",
    guide: "export",
    promise: "percent is null until a list ends, because the service does not say how long it is",
    todo: "Nothing breaks. Tell the maintainers of the library the name of the header: progress could use it.",
    judge({ readings }) {
      const lists = readings.filter(({ page }) => page);
      const names = lists.flatMap(({ headers }) =>
        [...headers.keys()].filter((name) => /(^|-)(total|count)(-|$)/.test(name)).map(named),
      );
      if (lists.length === 0) return notSeen("no list could be read");
      return names.length > 0 ? differs(`headers: ${inWords(names)}`) : asAssumed("no header with a total");
    },
  },
  {
    id: "filters",
    question: "Is a filter honoured?",
    guide: "errors",
    promise: "a filter finds the record whose create ended without a response, so that it is not created twice",
    todo: "Do not decide about a create by a filter: read the whole list.",
    judge: ({ email }) =>
      withEmails(email, ({ id, exact, nobody }) => {
        if (nobody.records.length > 0) {
          return differs(`users: an e-mail address that nobody has gave ${counted(nobody.records.length, "record")}`);
        }
        const found = idsOf(exact.records);
        if (!found.includes(id)) return differs("users: the e-mail address of a user did not find them");
        if (found.length > 1)
          return differs(`users: the e-mail address of a user gave ${counted(found.length, "record")}`);
        return asAssumed("users: one record by its e-mail address, none by one that nobody has");
      }),
  },
  {
    id: "email_case",
    question: "Does the filter email ignore case?",
    guide: "bulk",
    promise: "e-mail addresses are compared in any case",
    todo: "Ask users.list({ email }) for the address as it is stored. bulk reads the whole list and needs nothing.",
    judge: ({ email }) =>
      withEmails(email, ({ id, exact, other }) => {
        if (!areEqual(idsOf(exact.records), [id])) return notSeen("users: the filter email is not honoured");
        return areEqual(idsOf(other.records), [id])
          ? asAssumed("users: the same record for capital and small letters")
          : differs(`users: 1 record for the address as it is stored, ${other.records.length} in other letters`);
      }),
  },
  {
    id: "array_filters",
    question: "Does a filter with two values count both?",
    guide: "options",
    promise: 'arrays in a query repeat the name (arrayFormat: "repeat")',
    todo: 'Set the client option arrayFormat: "brackets" and run doctor again.',
    judge({ two }) {
      if (!two) return notSeen("plannedCourses has fewer than three records, or cannot be read");
      if (!two.reading.page) {
        return two.reading.status === null ? failed(two.reading) : differs(`plannedCourses: ${two.reading.failure}`);
      }
      const found = idsOf(two.reading.records);
      const right = found.length === 2 && two.ids.every((id) => found.includes(id));
      return right
        ? asAssumed("plannedCourses: two records for two identifiers")
        : differs(`plannedCourses: ${counted(found.length, "record")} for two identifiers`);
    },
  },
];

function withPages(pages: Pages | null, judge: (pages: Pages) => Verdict): Verdict {
  if (!pages) return NO_LIST;
  return pages.first.page ? judge(pages) : failed(pages.first);
}

function withEmails(email: Evidence["email"], judge: (email: NonNullable<Evidence["email"]>) => Verdict): Verdict {
  if (!email) return notSeen("no user with an e-mail address could be read");
  const without = [email.exact, email.other, email.nobody].find(({ page }) => !page);
  return without ? failed(without) : judge(email);
}

function samePage(next: Reading | null, again: Reading | null): Verdict {
  if (!next?.page) return next ? failed(next) : notSeen("there is no next page");
  if (!again) return notSeen("there is no next page");
  if (!again.page) {
    // Without a response nothing is known of the cursor.
    return again.status === null ? failed(again) : differs(`${again.resource}: the link was refused: ${again.failure}`);
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
    return asAssumed("the same host and path");
  }
  return notSeen("no list has a second page");
}

function hasIds(records: Reading["records"]): boolean {
  return records.every(({ id }) => Number.isSafeInteger(id) && (id as number) > 0);
}

function isAfter(record: Reading["records"][number], before: Reading["records"][number] | undefined): boolean {
  return (record.id as number) >= (before?.id as number);
}

function resources(readings: readonly Reading[]): string {
  return inWords(readings.map(({ resource }) => resource));
}
