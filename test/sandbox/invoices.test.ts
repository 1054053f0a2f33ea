import { describe, expect, test } from "vitest";
import { main, small } from "./support.js";

describe("single resources behave as the service description says", () => {
  test("invoices: opening a concept assigns the next number; any other status is unchanged", async () => {
    const sandbox = small();
    const { invoices } = main(sandbox);
    const numbers = (await invoices.list().toArray({ max: 100 })).map(({ number_int }) => number_int ?? 0);
    const [concept] = (await invoices.list({ status: ["concept"] })).records;
    expect(concept).toMatchObject({ number: null, number_int: null, opened_at: null });
    const opened = await invoices.open(concept?.id as number);
    expect(opened).toMatchObject({
      status: "open",
      number_int: Math.max(...numbers) + 1,
      expiration_date: "2030-06-15",
    });
    expect(opened.number).toMatch(/^F\d+$/);
    for (const status of ["open", "expired", "paid"] as const) {
      const [invoice] = (await invoices.list({ status: [status] })).records;
      expect(await invoices.open(invoice?.id as number)).toEqual(invoice);
    }
  });

  test("invoices: a new one is a concept whose totals follow from its lines and their VAT", async () => {
    const sandbox = small();
    const invoice = await main(sandbox).invoices.create({
      account_id: 3,
      footnote: null,
      invoice_items_attributes: [
        { name: "Course fee", units: 3, unit_price: "100.10", invoice_vat_id: 1 },
        { name: "Book", units: 1, unit_price: "10.00", invoice_vat_id: 2 },
        { name: "Gone", units: 1, unit_price: "99.00", invoice_vat_id: 2, _destroy: true },
      ],
    });
    expect(invoice).toMatchObject({
      status: "concept",
      account_name: sandbox.store.accounts.get(3)?.name,
      total_excl: "310.30",
      total_incl: "374.26",
      total_open: "374.26",
    });
    expect(invoice.invoice_items.map(({ name }) => name)).toEqual(["Course fee", "Book"]);
  });

  test("invoices: the PDF is valid, in base64", async () => {
    const { data } = await main(small()).invoices.getPdf(2);
    expect(atob(data)).toMatch(/^%PDF-1\.4\n[\s\S]*INV-000002[\s\S]*%%EOF\n$/);
  });

  test("VAT rates: has_vat is true if the rate is above zero", async () => {
    const { invoiceVats } = main(small());
    expect(await invoiceVats.create({ name: "None", percentage: "0.0" })).toMatchObject({ has_vat: false });
    expect(await invoiceVats.create({ name: "Some", percentage: "6.5" })).toMatchObject({ has_vat: true });
  });
});
