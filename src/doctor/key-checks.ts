import { pluralize } from "../work/pluralize.js";
import { asAssumed, type Check, differs, failureVerdict, inWords, notSeen, safeName } from "./check.js";

const DAY_MS = 86_400_000;
/** With fewer days left, the report advises renewing the key. */
const SOON_DAYS = 30;

export const KEY_CHECKS: readonly Check[] = [
  {
    id: "school",
    question: "Which school does the key belong to?",
    guide: "bulk",
    promise: "a plan is applied to the school that it was made for",
    todo: "Compare the mark with that of an earlier report.",
    judge: ({ mark }) =>
      mark === null
        ? notSeen("accounts, users and courses have no record, or cannot be read")
        : asAssumed(
            `mark ${mark}; every report about this school has this mark, unless its first records were deleted`,
          ),
  },
  {
    id: "key_end",
    question: "When does the key expire?",
    guide: "connect-your-school",
    promise: "a key expires, and every call after that is answered with 401",
    todo: "Create a new key before that day, and replace the old one.",
    judge({ readings, now }) {
      const ends = readings.flatMap(({ headers }) =>
        [...headers].filter(([name]) => /(key|token|auth).*(expir|until|end)/.test(name)),
      );
      const days = ends.map(([, text]) => Math.floor(((Date.parse(text) || Number.NaN) - now) / DAY_MS));
      const left = Math.min(...days.filter((day) => !Number.isNaN(day)));
      if (!Number.isFinite(left)) return notSeen("no response shows the date; the key's page in the service does");
      const seen = `in ${pluralize(left, "day")}, according to the header ${inWords(ends.map(([name]) => safeName(name)))}`;
      return left < SOON_DAYS ? differs(seen) : asAssumed(seen);
    },
  },
  {
    id: "without_key",
    question: "Are courses public, but people and invoices not?",
    guide: "browser",
    promise: "a page without a key reads what the school has published, and nothing else",
    todo: "Tell the school at once if people or invoices are public. If courses are not, read them through a proxy.",
    judge({ keyless }) {
      const asked = keyless.filter(({ status }) => status !== null);
      const [first] = keyless;
      if (asked.length === 0)
        return first ? failureVerdict(first) : notSeen("no list could be requested without a key");
      const open = asked.filter(({ page }) => page).map(({ resource }) => resource);
      const closed = asked.filter(({ page }) => !page).map(({ resource, status }) => `${resource} (${status})`);
      const seen = `open without a key: ${inWords(open)}; refused: ${inWords(closed)}`;
      const isWrong =
        open.some((name) => ["users", "invoices"].includes(name)) || closed.some((name) => name.startsWith("courses "));
      return isWrong ? differs(seen) : asAssumed(seen);
    },
  },
  {
    id: "wrong_key",
    question: "Is a wrong key refused with 401 or 403?",
    guide: "errors",
    promise: "401 and 403 mean that the key is the problem",
    todo: "If every list returns 404, suspect a wrong or revoked key, not an empty school.",
    judge({ wrongKey }) {
      if (!wrongKey) return notSeen("no list could be read");
      if (wrongKey.page) return differs(`${wrongKey.resource}: open with any key`);
      if (wrongKey.status === null) return failureVerdict(wrongKey);
      const isRight = wrongKey.status === 401 || wrongKey.status === 403;
      return (isRight ? asAssumed : differs)(`${wrongKey.resource}: ${wrongKey.status}`);
    },
  },
  {
    id: "signature",
    question: "Are webhook deliveries signed in the way the receiver expects?",
    guide: "webhooks",
    promise: "a receiver accepts genuine deliveries, and no others",
    todo: "",
    judge: () => notSeen("doctor receives no deliveries: look in your receiver's log for the signature header"),
  },
];
