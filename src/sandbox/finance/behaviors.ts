import type { Invoice, PaymentCreate } from "../../generated/resources.js";
import type { Store } from "../data/store.js";
import { amount, cents } from "../data/world.js";
import type { Behaviors } from "../engine/behavior.js";
import { unprocessable } from "../engine/refusal.js";
import { centsIn } from "./amounts.js";
import { invoices } from "./invoice-behaviors.js";
import { orders } from "./order-behaviors.js";

export function financeBehaviors(store: Store): Behaviors {
  const { invoices: billed, payments, paymentMethods } = store;
  return {
    invoices: invoices(store),
    invoiceVats: {
      create: ({ percentage }) => ({ has_vat: Number(percentage) !== 0 }),
    },
    orders: orders(store),
    payments: {
      operations: {
        createForInvoice: ({ params, body, now }) => {
          const invoice = billed.get(params.invoice_id) as Invoice;
          const payment = payments.insert({
            invoice_id: invoice.id,
            amount: amount(payableCents(body, invoice)),
            currency: invoice.currency,
            payment_method_id: body.payment_method_id ?? 1,
            status: "paid",
            gateway_id: null,
            date: body.date ?? now.slice(0, 10),
          });
          billed.update(invoice.id, {});
          const method = paymentMethods.get(payment.payment_method_id);
          return { ...payment, ...(method && { payment_method: method }), plugin_data: [] };
        },
        // rule: an invoice is `paid` when its open amount is zero, and `open` again when one of its payments is
        // deleted; no invoice expires by itself.
        deleteForInvoice: ({ params }, one) => {
          payments.delete(one().id);
          billed.update(params.invoice_id, {});
        },
      },
    },
  };
}

// The amount of a new payment in cents. Throws a Refusal if the invoice cannot have this payment.
function payableCents({ amount: text, currency }: PaymentCreate, invoice: Invoice): number {
  // rule: a payment is refused (422) if it exceeds the open amount, is not in whole cents, is in another currency or is
  // for a concept; a credit note, whose total is negative, accepts negative payments.
  if (invoice.status === "concept") throw unprocessable("invoice_id", "is a concept; it must be opened first");
  if (currency !== undefined && currency !== invoice.currency) {
    throw unprocessable("currency", `must be ${invoice.currency}, as on the invoice`);
  }
  const paid = centsIn(text);
  const open = cents(invoice.total_open);
  const sign = cents(invoice.total_incl) < 0 ? -1 : 1;
  if (paid === undefined || paid * sign <= 0) {
    throw unprocessable("amount", `must be ${sign < 0 ? "less" : "more"} than zero, in whole cents`);
  }
  if (paid * sign > open * sign)
    throw unprocessable("amount", `must not exceed the open amount of ${invoice.total_open}`);
  return paid;
}
