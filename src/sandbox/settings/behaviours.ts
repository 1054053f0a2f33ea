import { choicesOf } from "../custom/fields.js";
import type { Store } from "../data/store.js";
import type { Behaviours } from "../engine/behaviour.js";
import { webhooks } from "./webhooks.js";

/** Behaviours of the educator and its departments, sign-up questions and webhooks. @internal */
export function settingsBehaviours(store: Store): Behaviours {
  const { educators } = store;
  return {
    educators: {
      operations: { get: () => educators.at(0) },
    },
    signupQuestions: {
      show: (question) => ({ ...question, choices: choicesOf(question, store, "enabled") }),
      filters: {
        for_user: () => (row) => row.for_type === "user",
        for_account: () => (row) => row.for_type === "account",
        visibility: (place: string) => (row) => row.visibility.includes(place),
      },
    },
    webhooks: webhooks(store),
  };
}
