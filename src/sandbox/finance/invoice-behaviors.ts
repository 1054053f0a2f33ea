import type { Invoice, InvoiceCreate } from "../../generated/resources.js";
import type { Given } from "../data/given.js";
import type { Store } from "../data/store.js";
import type { Behavior, Inquiry } from "../engine/behavior.js";
import { COURSE_VAT_ID } from "./amounts.js";
import { inTwoWeeks, invoiceNumber } from "./invoice-seed.js";

export function invoices(store: Store): Behavior<"invoices"> {
  return {
    create: (body, inquiry) => newInvoice(body, store, inquiry),
    operations: {
      open: ({ now }, one) => {
        const invoice = one();
        if (invoice.status !== "concept") return invoice;
        const number = 1 + highestNumber(store);
        return store.invoices.update(invoice.id, {
          status: "open",
          number_int: number,
          number: invoiceNumber(number),
          opened_at: now,
          expiration_date: inTwoWeeks(now),
        });
      },
      getPdf: (_, one) => ({ data: pdfOf(one()) }),
    },
  };
}

export function newInvoice(body: InvoiceCreate, store: Store, { baseUrl }: Pick<Inquiry, "baseUrl">): Given<Invoice> {
  const id = store.invoices.nextId;
  const items = (body.invoice_items_attributes ?? [])
    .filter(({ _destroy }) => _destroy !== true)
    .map(({ name, units, unit_price, invoice_vat_id = COURSE_VAT_ID, catalog_variant_id = null }) => {
      return { name, units, unit_price, invoice_vat_id, catalog_variant_id };
    });
  return {
    status: "concept",
    pdf_url: `${baseUrl}/invoices/${id}.pdf`,
    xml_url: `${baseUrl}/invoices/${id}.xml`,
    invoice_items: items,
  };
}

function highestNumber({ invoices }: Store): number {
  let highest = 0;
  for (const { number_int } of invoices.rows()) highest = Math.max(highest, number_int ?? 0);
  return highest;
}

// A valid one-page PDF that shows the reference.
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
