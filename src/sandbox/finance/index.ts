import type { Domain } from "../engine/domain.js";
import { financeBehaviours } from "./behaviours.js";
import { financeSeeds } from "./seed.js";
import type { FinanceStore } from "./store.js";

/** The finance domain of the sandbox. @internal */
export const finance: Domain<FinanceStore> = {
  seeds: financeSeeds,
  behaviours: financeBehaviours,
  references: {
    invoice_id: ({ invoices }) => invoices,
    invoice_vat_id: ({ invoiceVats }) => invoiceVats,
    order_id: ({ orders }) => orders,
    payment_method_id: ({ paymentMethods }) => paymentMethods,
    payment_option_id: ({ paymentOptions }) => paymentOptions,
  },
  factories: {
    creditCategory: ({ creditCategories }) => creditCategories,
  },
};
