import type { SignupQuestion } from "../../resources/settings/signup-questions.js";
import { choicesOf } from "../custom/fields.js";
import type { Store } from "../data/store.js";
import { type AnyBehaviour, behaviour } from "../engine/behaviour.js";
import { webhookBehaviour } from "./webhooks.js";

/** Behaviours of the educator and its departments, sign-up questions and webhooks. @internal */
export function settingsBehaviours(store: Store): Record<string, AnyBehaviour> {
  const { educators } = store;
  return {
    educators: behaviour({
      operations: { get: () => educators.at(0) },
    }),
    signupQuestions: behaviour<SignupQuestion>({
      show: (question) => ({ ...question, choices: choicesOf(question, store, "enabled") }),
      filters: {
        for_user: () => (row) => row.for_type === "user",
        for_account: () => (row) => row.for_type === "account",
        visibility: (place: string) => (row) => row.visibility.includes(place),
      },
    }),
    webhooks: webhookBehaviour(store),
  };
}
