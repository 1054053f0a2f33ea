import type { Invoice, Order } from "../../generated/resources.js";
import { organizationInvoiceSchema, organizationOrderSchema } from "../../schemas.js";
import type { Identified } from "../data/collection.js";
import { where } from "../data/domain.js";
import type { Store } from "../data/store.js";
import { View } from "../data/view.js";
import type { Behavior, Behaviors } from "../engine/behavior.js";
import { conflict } from "../engine/refusal.js";

export function organizationsBehaviors(store: Store): Behaviors {
  const { invoices, orders, organizationAffiliations } = store;
  const organizationOf = organizationsByAccount(store);
  return {
    organizationAffiliations: {
      create: ({ organization_id, user_id }) => {
        // rule: `organizationAffiliations.create` responds with 409 if the user already belongs to the organization.
        if (organizationAffiliations.find(where({ user_id, organization_id }))) {
          throw conflict("user_id", "already belongs to the organization");
        }
        return {};
      },
    },
    organizationInvoices: linksOf(
      new View<OrganizationLink & { invoice_id: number }, Invoice>(invoices, organizationInvoiceSchema, {
        invoice_id: ({ id }) => id,
        organization_id: ({ account_id }) => organizationOf(account_id),
      }),
    ),
    organizationOrders: linksOf(
      new View<OrganizationLink & { order_id: number }, Order>(orders, organizationOrderSchema, {
        organization_id: ({ account_id }) => organizationOf(account_id),
        order_id: ({ id }) => id,
      }),
    ),
  };
}

interface OrganizationLink extends Identified {
  organization_id: number | null;
}

function linksOf<T extends OrganizationLink, Source extends Identified>(
  view: View<T, Source>,
): Behavior<"organizationInvoices" | "organizationOrders"> {
  return { records: () => view, scope: () => (link) => (link as Readonly<OrganizationLink>).organization_id !== null };
}

function organizationsByAccount({ organizationAccounts }: Store): (accountId: number) => number | null {
  let known = new Map<number, number>();
  let version: number | undefined;
  return (accountId) => {
    if (version !== organizationAccounts.version) {
      version = organizationAccounts.version;
      known = new Map([...organizationAccounts].map((link) => [link.account_id, link.organization_id]));
    }
    return known.get(accountId) ?? null;
  };
}
