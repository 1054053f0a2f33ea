import type { Contact } from "../../organization/contacts.js";
import { type AnyBehaviour, behaviour } from "../behaviour.js";
import type { Store } from "../store.js";

/** The lists of the Organization API. @internal */
export function organizationBehaviours({ organization }: Store): Record<string, AnyBehaviour> {
  return {
    "organization.contacts": behaviour<Contact>({ records: () => organization.contacts }),
  };
}
