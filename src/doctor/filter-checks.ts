import { pluralize } from "../work/pluralize.js";
import { areEqual, asAssumed, type Check, differs, failureVerdict, idsOf, notSeen, type Verdict } from "./check.js";
import type { ByIds, Emails } from "./clues.js";
import type { Reading } from "./reader.js";

export const FILTER_CHECKS: readonly Check[] = [
  {
    id: "filters",
    question: "Is a filter honored?",
    guide: "errors",
    promise: "a filter finds a record whose creation got no response, so that it is not created twice",
    todo: "Do not use a filter to decide whether to create a record: read the whole list.",
    judge: ({ emails }) =>
      withEmails(emails, ({ id, exact, nobody }) => {
        if (nobody.records.length > 0) {
          return differs(
            `users: filtering by an unused e-mail address returned ${pluralize(nobody.records.length, "record")}`,
          );
        }
        const found = idsOf(exact.records);
        if (!found.includes(id)) return differs("users: a search for a user's e-mail address did not find the user");
        if (found.length > 1)
          return differs(
            `users: filtering by the e-mail address of a user returned ${pluralize(found.length, "record")}`,
          );
        return asAssumed("users: one record for a user's e-mail address, none for an unused one");
      }),
  },
  {
    id: "email_case",
    question: "Does the email filter ignore case?",
    guide: "bulk",
    promise: "e-mail addresses are compared without regard to case",
    todo: "Pass users.list({ email }) the address exactly as it is stored. bulk reads the whole list and needs no change.",
    judge: ({ emails }) =>
      withEmails(emails, ({ id, exact, other }) => {
        if (!areEqual(idsOf(exact.records), [id])) return notSeen("users: the email filter has no effect");
        return areEqual(idsOf(other.records), [id])
          ? asAssumed("users: the same record for the address in either case")
          : differs(`users: 1 record for the stored form of the address, ${other.records.length} in the opposite case`);
      }),
  },
  {
    id: "array_filters",
    question: "Does a filter with two values apply both?",
    guide: "options",
    promise: 'arrays in a query repeat the name (arrayFormat: "repeat")',
    todo: 'Set the client option arrayFormat: "brackets" and run doctor again.',
    judge: ({ two, odd }) => {
      const verdict = judgeIds(two, "two identifiers");
      if (!odd || verdict.status === "not_seen") return verdict;
      const { failure, records } = odd.brackets;
      return { ...verdict, seen: `${verdict.seen}; with name[]: ${failure ?? pluralize(records.length, "record")}` };
    },
  },
  {
    id: "many_identifiers",
    question: "Does the id filter accept 100 values?",
    guide: "fewer-requests",
    promise: "`with`, `getMany` and `bulk` read up to 100 records in one request",
    todo: "Read these records from their list. Report this to the maintainers of the library, and name any proxy between you and the service.",
    judge: ({ hundred }) => judgeIds(hundred, "100 identifiers"),
  },
  {
    id: "unknown_filters",
    question: "Does a list refuse a parameter that it does not have?",
    guide: "options",
    promise: "a raw request is sent exactly as written",
    todo: "Compare the names in raw requests with docs/operations.md: a misspelled filter returns every record.",
    judge: ({ odd }) => judgeRefusal(odd?.unknown),
  },
  {
    id: "unreadable_filters",
    question: "Does a date filter refuse a value that is not a date?",
    guide: "dates-and-money",
    promise: "a day is sent as yyyy-MM-dd",
    todo: "Check the dates in raw requests yourself: the service returns every record if it cannot read a date.",
    judge: ({ odd }) => judgeRefusal(odd?.unreadable),
  },
];

// Judges the first user that the e-mail filter found; if it found none, the first user read.
function withEmails(emails: readonly Emails[], judge: (email: Emails) => Verdict): Verdict {
  const found = emails.find(({ id, exact }) => idsOf(exact.records).includes(id)) ?? emails[0];
  if (!found) return notSeen("no user with an e-mail address could be read");
  const without = [found.exact, found.other, found.nobody].find(({ page }) => !page);
  return without ? failureVerdict(without) : judge(found);
}

function judgeRefusal(reading: Reading | undefined): Verdict {
  if (!reading) return notSeen("plannedCourses cannot be read");
  if (reading.page) return differs("plannedCourses: ignored");
  return reading.refusal && reading.status !== null
    ? asAssumed(`plannedCourses: ${reading.status}`)
    : failureVerdict(reading);
}

function judgeIds(filtered: ByIds | null, what: string): Verdict {
  if (!filtered) return notSeen("plannedCourses has too few records, or cannot be read");
  const { reading, ids } = filtered;
  if (!reading.page)
    return reading.status === null ? failureVerdict(reading) : differs(`plannedCourses: ${reading.failure}`);
  const found = idsOf(reading.records);
  const right = found.length === ids.length && ids.every((id) => found.includes(id));
  const seen = `plannedCourses: ${pluralize(found.length, "record")} for ${what}`;
  return right ? asAssumed(seen) : differs(`${seen}; the list has ${ids.length} of them`);
}
