import type { InvoiceItem, InvoiceVat } from "../../generated/resources.js";
import { compareDecimals, type Decimal, decimalOf, times, ZERO } from "../../work/decimals.js";
import type { Columns } from "../data/collection.js";

const exact = (text: string): Decimal => decimalOf(text) ?? ZERO;

// Rounds half a cent away from zero, as is usual on invoices.
function wholeCents({ digits, scale }: Decimal): number {
  if (scale <= 2) return Number(digits * 10n ** BigInt(2 - scale));
  const part = 10n ** BigInt(scale - 2);
  const size = digits < 0n ? -digits : digits;
  const rounded = (size + part / 2n) / part;
  return Number(digits < 0n ? -rounded : rounded);
}

function decimalText(value: number): string {
  return String(value).includes("e") ? value.toFixed(20) : String(value);
}

export function centsIn(text: string): number | undefined {
  const amount = exact(text);
  const cents = wholeCents(amount);
  return compareDecimals(amount, { digits: BigInt(cents), scale: 2 }) === 0 ? cents : undefined;
}

/** The totals of an invoice's lines, in cents. Each line and its VAT are rounded separately. */
export function totalsOf(
  items: readonly Pick<InvoiceItem, "units" | "unit_price" | "invoice_vat_id">[],
  percentageOf: (vatId: number) => string,
): { excl: number; incl: number } {
  let excl = 0;
  let vat = 0;
  for (const { unit_price, units, invoice_vat_id } of items) {
    const line = wholeCents(times(exact(unit_price), exact(decimalText(units))));
    excl += line;
    vat += wholeCents(times({ digits: BigInt(line), scale: 4 }, exact(percentageOf(invoice_vat_id))));
  }
  return { excl, incl: excl + vat };
}

const VAT_RATES = [
  { name: "VAT high", percentage: "21.0" },
  { name: "VAT low", percentage: "9.0" },
  { name: "No VAT", percentage: "0.0" },
] as const;

export const VAT_COUNT = VAT_RATES.length;

export const COURSE_VAT_ID = 1;

export const invoiceVatColumns: Columns<InvoiceVat> = {
  name: ({ percentage }) => VAT_RATES.find((rate) => rate.percentage === percentage)?.name ?? `VAT ${percentage}%`,
  percentage: ({ id }, _, { given }) => {
    if (given.has_vat === false) return "0.0";
    const rate = VAT_RATES[(id - 1) % VAT_COUNT]?.percentage ?? "21.0";
    return given.has_vat === true && rate === "0.0" ? "21.0" : rate;
  },
  has_vat: ({ percentage }) => Number(percentage) > 0,
};
