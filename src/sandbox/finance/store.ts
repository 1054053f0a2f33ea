import type { CreditCategory } from "../../resources/finance/credit-categories.js";
import type { Credit } from "../../resources/finance/credits.js";
import type { DiscountCode } from "../../resources/finance/discount-codes.js";
import type { InvoiceVat } from "../../resources/finance/invoice-vats.js";
import type { Invoice } from "../../resources/finance/invoices.js";
import type { Order } from "../../resources/finance/orders.js";
import type { Collection, Identified } from "../data/collection.js";

/** The sandbox's invoices, orders, credits and discount codes. */
export interface FinanceStore {
  readonly creditCategories: Collection<CreditCategory>;
  readonly credits: Collection<Credit>;
  readonly discountCodes: Collection<DiscountCode & Identified>;
  readonly invoiceVats: Collection<InvoiceVat>;
  readonly invoices: Collection<Invoice>;
  readonly orders: Collection<Order>;
}
