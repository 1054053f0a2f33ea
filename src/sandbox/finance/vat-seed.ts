import type { InvoiceVat } from "../../resources/finance/invoice-vats.js";
import type { Columns } from "../data/collection.js";

const VAT_RATES = [
  { name: "VAT high", percentage: "21.0" },
  { name: "VAT low", percentage: "9.0" },
  { name: "No VAT", percentage: "0.0" },
] as const;

/** The number of seeded VAT rates. @internal */
export const VAT_COUNT = VAT_RATES.length;

/** The VAT rate of course fees. @internal */
export const COURSE_VAT_ID = 1;

/** @internal */
export const invoiceVatColumns: Columns<InvoiceVat> = {
  name: ({ percentage }) => VAT_RATES.find((rate) => rate.percentage === percentage)?.name ?? `VAT ${percentage}%`,
  percentage: ({ id }, _, { given }) => {
    if (given.has_vat === false) return "0.0";
    const rate = VAT_RATES[(id - 1) % VAT_COUNT]?.percentage ?? "21.0";
    return given.has_vat === true && rate === "0.0" ? "21.0" : rate;
  },
  has_vat: ({ percentage }) => Number(percentage) > 0,
};
