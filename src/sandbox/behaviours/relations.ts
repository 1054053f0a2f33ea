import type { Account, AccountCreate } from "../../resources/accounts.js";
import { type AnyBehaviour, behaviour } from "../behaviour.js";
import { slugOf } from "../seed/world.js";
import type { Store } from "../store.js";

/** Accounts and what belongs to them. @internal */
export function relationBehaviours({ accounts }: Store): Record<string, AnyBehaviour> {
  return {
    accounts: behaviour<Account, AccountCreate>({
      records: () => accounts,
      written: accounts,
      filters: {
        search: (text: string) => {
          const wanted = text.toLowerCase();
          return ({ name, email }) =>
            name.toLowerCase().includes(wanted) || (email ?? "").toLowerCase().includes(wanted);
        },
      },
      create: ({ name }) => ({ account_type: "business", visible: true, slug: slugOf(name), users_count: 0 }),
    }),
  };
}
