import type { CreditCategory } from "../../resources/finance/credit-categories.js";
import type { Credit } from "../../resources/finance/credits.js";
import type { DiscountCode } from "../../resources/finance/discount-codes.js";
import type { InvoiceVat } from "../../resources/finance/invoice-vats.js";
import type { Invoice } from "../../resources/finance/invoices.js";
import type { Order } from "../../resources/finance/orders.js";
import type { PaymentMethod } from "../../resources/finance/payment-methods.js";
import type { PaymentOption } from "../../resources/finance/payment-options.js";
import type { Payment } from "../../resources/finance/payments.js";
import type { Collection, Identified } from "../data/collection.js";

/** The sandbox's invoices, payments, orders, credits and discount codes. */
export interface FinanceStore {
  readonly creditCategories: Collection<CreditCategory>;
  readonly credits: Collection<Credit>;
  readonly discountCodes: Collection<DiscountCode & Identified>;
  readonly invoiceVats: Collection<InvoiceVat>;
  readonly invoices: Collection<Invoice>;
  readonly orders: Collection<Order>;
  readonly paymentMethods: Collection<PaymentMethod>;
  readonly paymentOptions: Collection<PaymentOption>;
  /** Payments; an invoice contains those made for it. */
  readonly payments: Collection<Payment>;
}
