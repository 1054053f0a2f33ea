import type { Invoice, InvoiceCreate } from "../../resources/finance/invoices.js";
import type { Store } from "../data/store.js";
import { amount } from "../data/world.js";
import { type AnyBehaviour, behaviour, type Inquiry } from "../engine/behaviour.js";
import { notFound } from "../engine/refusal.js";
import { totalsOf } from "./amounts.js";
import { inTwoWeeks, invoiceNumber, percentages, referenceOf } from "./invoice-seed.js";
import { lineId } from "./order-seed.js";
import { COURSE_VAT_ID } from "./vat-seed.js";

/** The behaviour of invoices. @internal */
export function invoices(store: Store): AnyBehaviour {
  const { invoices: records } = store;
  const invoiceOf = ({ params }: Inquiry): Invoice => {
    const invoice = records.get(params.id as number);
    if (!invoice) throw notFound();
    return invoice;
  };
  return behaviour<Invoice, InvoiceCreate>({
    create: (body, inquiry) => newInvoice(body, store, inquiry),
    operations: {
      open: (inquiry) => {
        const invoice = invoiceOf(inquiry);
        if (invoice.status !== "concept") return invoice;
        const number = 1 + highestNumber(store);
        return records.update(invoice.id, {
          status: "open",
          number_int: number,
          number: invoiceNumber(number),
          opened_at: inquiry.now,
          expiration_date: inTwoWeeks(inquiry.now),
        });
      },
      getPdf: (inquiry) => ({ data: pdfOf(invoiceOf(inquiry)) }),
    },
  });
}

/** The fields of a new invoice, a concept. @internal */
export function newInvoice(
  body: InvoiceCreate,
  store: Store,
  { now, baseUrl }: Pick<Inquiry, "now" | "baseUrl">,
): Partial<Invoice> {
  const id = store.invoices.nextId;
  const items = (body.invoice_items_attributes ?? [])
    .filter((item) => item._destroy !== true)
    .map((item, at) => ({
      id: lineId(id, at),
      name: item.name,
      units: item.units,
      unit_price: item.unit_price,
      invoice_vat_id: item.invoice_vat_id ?? COURSE_VAT_ID,
      catalog_variant_id: item.catalog_variant_id ?? null,
      created_at: now,
      updated_at: now,
    }));
  const totals = totalsOf(items, percentages(store));
  return {
    id,
    reference_id: referenceOf(id),
    status: "concept",
    account_name: store.accounts.get(body.account_id)?.name ?? "",
    currency: "EUR",
    total_excl: amount(totals.excl),
    total_incl: amount(totals.incl),
    total_open: amount(totals.incl),
    pdf_url: `${baseUrl}/invoices/${id}.pdf`,
    xml_url: `${baseUrl}/invoices/${id}.xml`,
    invoice_items: items,
    payments: [],
  };
}

// New invoices continue from the highest number. A seeded invoice has its identifier as its number.
function highestNumber({ invoices }: Store): number {
  let highest = 0;
  for (let slot = 0; slot < invoices.slots; slot++) highest = Math.max(highest, invoices.row(slot)?.number_int ?? 0);
  return highest;
}

// A small, valid PDF of one page that shows the reference.
function pdfOf({ reference_id }: Invoice): string {
  const text = `BT /F1 18 Tf 72 720 Td (Invoice ${reference_id}) Tj ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let pdf = "%PDF-1.4\n";
  const offsets: number[] = [];
  for (const [at, object] of objects.entries()) {
    offsets.push(pdf.length);
    pdf += `${at + 1} 0 obj\n${object}\nendobj\n`;
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const start = pdf.length;
  pdf += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`;
  pdf += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return btoa(pdf);
}
