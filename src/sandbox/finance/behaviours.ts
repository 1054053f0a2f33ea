import type { Store } from "../data/store.js";
import type { Behaviours } from "../engine/behaviour.js";
import { invoices } from "./invoice-behaviours.js";
import { orders } from "./order-behaviours.js";
import { payments } from "./payment-behaviours.js";

/** Behaviours of invoices, payments, VAT rates and orders. @internal */
export function financeBehaviours(store: Store): Behaviours {
  return {
    invoices: invoices(store),
    invoiceVats: {
      create: ({ percentage }) => ({ has_vat: Number(percentage) !== 0 }),
    },
    orders: orders(store),
    payments: payments(store),
  };
}
