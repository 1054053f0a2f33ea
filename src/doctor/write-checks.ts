import { asAssumed, type Check, differs, inWords, named, notSeen, type Verdict } from "./check.js";
import type { Evidence } from "./evidence.js";
import { OTHER, type Written } from "./write.js";

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
      withUser(evidence, ({ second }) => {
        if (second === null) return notSeen("no usable response to the second");
        if (second === "created") return differs("the service created both");
        return asAssumed(second === "the first" ? "answered with the first one" : `refused with ${second}`);
      }),
  },
  {
    id: "stored_as_sent",
    question: "Is text stored as it was sent?",
    guide: "bulk",
    promise: "a record is found again by the key that was sent",
    todo: "Choose a key of plain letters and digits for bulk: others are not found again, and records are created twice.",
    judge: (evidence) =>
      withUser(evidence, ({ changed, task }) => {
        if (changed === null) return notSeen("the user could not be read");
        const seen = [
          ...changed.map((field) => `users.${field}`),
          ...task.changed.map((what) => `tasks.name (${what})`),
        ];
        return seen.length > 0 ? differs(`stored otherwise: ${inWords(seen)}`) : asAssumed("users and tasks");
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
    guide: "mirror-promises",
    promise: "a record whose updated_at is as before is as before",
    todo: "Compare whole records. Report it to the maintainers of the library.",
    judge: (evidence) =>
      withUser(evidence, ({ update, custom, labels }) => {
        if (!update) return notSeen("the user could not be updated, or not be read");
        const parts = Object.entries({ "a name": update, custom, labels });
        const still = parts.filter(([, part]) => part?.hasMoved === false).map(([name]) => name);
        return still.length > 0 ? differs(`users: as before the update of ${inWords(still)}`) : asAssumed("users");
      }),
  },
  {
    id: "custom_is_merged",
    question: "Does an update of one custom field leave the other ones alone?",
    guide: "custom-fields",
    promise: "bulk sends the custom fields that are there with the one that changes",
    todo: "Read a record before you update its custom, and send all of its values: the others are emptied.",
    judge: (evidence) =>
      withUser(evidence, ({ custom }) => {
        if (!custom)
          return notSeen("users have fewer than two custom fields that could be filled in, or do not show them");
        return custom.isKept ? asAssumed("users") : differs("users: the other custom field is empty");
      }),
  },
  {
    id: "labels_are_replaced",
    question: "Do the labels of an update replace those of the record?",
    guide: "import",
    promise: "label_ids of a row are the labels of the record",
    todo: "Compare the labels after a write: those that are not sent stay.",
    judge: (evidence) =>
      withUser(evidence, ({ labels }) => {
        if (!labels) return notSeen("users have fewer than two labels, or they could not be given");
        return labels.isKept ? differs("users: the former label is still there") : asAssumed("users");
      }),
  },
  {
    id: "write_responses",
    question: "Is a create answered with 201, an update with the whole record, a removal with 204?",
    guide: "options",
    promise: "what a create or an update returns is the record",
    todo: "Read a record again where you need more of it than the response to its update has. Where that was another record, write with bulk.",
    judge: ({ written }) => {
      if (written?.failure === OTHER) return differs(`${OTHER}, so nothing more was written`);
      if (!written || written.task.failure !== null) return withoutTask(written);
      const { statuses, isLocated } = written.task;
      const lacking = written.update?.lacking ?? [];
      const seen = `tasks: ${statuses.join(", ")}${isLocated ? ", with a Location" : ""}`;
      return lacking.length > 0
        ? differs(`${seen}; the response to an update of a user lacks ${inWords(lacking.map(named))}`)
        : asAssumed(seen);
    },
  },
  {
    id: "removed_is_gone",
    question: "Is a record gone once it was removed?",
    guide: "destructive-work",
    promise: "what was removed is answered with 404",
    todo: "Wait before you take a removed record for gone. A task whose name begins with doctor may be left behind.",
    judge: ({ written }) => {
      if (!written || written.task.failure !== null) return withoutTask(written);
      const { isLeft, isReadable } = written.task;
      if (isLeft) return differs("tasks: it could not be removed, and is left behind");
      return isReadable ? differs("tasks: it can be read still") : asAssumed("tasks: 404");
    },
  },
];

function withoutTask(written: Written | null): Verdict {
  const left = written?.task.isLeft ? "; one whose name begins with doctor may be left behind" : "";
  return notSeen(`the task was not made, or not read: ${written?.task.failure}${left}`);
}

function withUser({ written }: Evidence, judge: (written: Written) => Verdict): Verdict {
  if (!written || written.failure !== null) {
    return notSeen(`the user was not created, or may not have been: ${written?.failure}`);
  }
  return judge(written);
}
