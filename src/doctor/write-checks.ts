import { asAssumed, type Check, differs, inWords, named, notSeen, type Verdict } from "./check.js";
import type { Evidence } from "./evidence.js";
import type { Written } from "./write.js";

/** What only writes show. */
export const WRITE_CHECKS: readonly Check[] = [
  {
    id: "list_delay",
    question: "Does a list show a record as soon as it was created?",
    guide: "bulk",
    promise: "after settleMs the list tells whether a create whose response was lost was carried out",
    todo: "Set settleMs of apply to more than was seen, or records are created twice.",
    judge: (evidence) =>
      withUser(evidence, ({ shownAfter }) =>
        shownAfter === null
          ? differs("the list did not show the user within a minute")
          : asAssumed(`after ${shownAfter} seconds`),
      ),
  },
  {
    id: "one_user_per_email",
    question: "Is a second user with the same e-mail address refused?",
    guide: "bulk",
    promise: "a user whose create is sent again is not there twice",
    todo: "Look users up by their e-mail address before you create them, and let only one program create users.",
    judge: (evidence) =>
      withUser(evidence, ({ refused, isDouble }) => {
        if (refused !== null) return asAssumed(`refused with ${refused}`);
        return isDouble ? differs("the service created both") : notSeen("no usable response to the second");
      }),
  },
  {
    id: "stored_as_sent",
    question: "Is text stored as it was sent?",
    guide: "bulk",
    promise: "a record is found again by the key that was sent",
    todo: "Choose a key of plain letters and digits for bulk: others are not found again, and records are created twice.",
    judge: (evidence) =>
      withUser(evidence, ({ changed }) => {
        if (changed === null) return notSeen("the user could not be read");
        return changed.length > 0 ? differs(`users: stored otherwise: ${inWords(changed)}`) : asAssumed("users");
      }),
  },
  {
    id: "update_leaves_others",
    question: "Does an update leave the fields alone that it does not name?",
    guide: "bulk",
    promise: "other fields may change meanwhile, because a correction sends only its own",
    todo: "Do not correct records in bulk. Report the fields to the maintainers of the library.",
    judge: (evidence) =>
      withUser(evidence, ({ update }) => {
        if (!update) return notSeen("the user could not be updated, or not be read");
        return update.others.length > 0
          ? differs(`users: changed too: ${inWords(update.others.map(named))}`)
          : asAssumed("users");
      }),
  },
  {
    id: "updated_at_moves",
    question: "Does updated_at move when a record is updated?",
    guide: "synchronising",
    promise: "a record whose updated_at is as before is as before",
    todo: "Compare whole records. Report it to the maintainers of the library.",
    judge: (evidence) =>
      withUser(evidence, ({ update }) => {
        if (!update) return notSeen("the user could not be updated, or not be read");
        return update.hasMoved ? asAssumed("users") : differs("users: as before the update");
      }),
  },
];

function withUser({ written }: Evidence, judge: (written: Written) => Verdict): Verdict {
  if (!written || written.failure !== null) {
    return notSeen(`the user was not created, or may not have been: ${written?.failure}`);
  }
  return judge(written);
}
