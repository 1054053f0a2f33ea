import { describe, expect, test } from "vitest";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { issuesOf, wire } from "./support/wire.js";

describe("decimals", () => {
  test.each(["12.50", "0", "-3.333", "1234567890123456789.99"])("%j is sent unchanged", async (given) => {
    const { main, body } = wire();
    await main.invoiceVats.create({ name: "High", percentage: given });
    expect(body()).toBe(`{"name":"High","percentage":"${given}"}`);
  });

  test.each([12.5, 21, 0, "", "12,50", "1e3", "twelve", "12.", ".5", " 12.50", "€ 12"])(
    "%j is refused with a hint at a valid form",
    async (given) => {
      const { main, calls } = wire();
      const hint = 'must be decimal text, such as "12.50"; a number is refused because it can lose cents';
      const percentage = given as string;
      expect(await issuesOf(main.invoiceVats.create({ name: "High", percentage }))).toEqual([
        { path: "percentage", message: hint },
      ]);
      const line = { name: "Fee", units: 1 };
      const items = [
        { ...line, unit_price: "1.00" },
        { ...line, unit_price: percentage },
      ];
      expect(await issuesOf(main.invoices.create({ account_id: 1, invoice_items_attributes: items }))).toEqual([
        { path: "invoice_items_attributes[1].unit_price", message: hint },
      ]);
      expect(calls).toEqual([]);
    },
  );

  test("are returned as the service's text, including trailing zeros", async () => {
    const answer = '{"id":1,"total_incl":"1234.50","total_open":"0.10"}';
    const { fetch } = recordingFetch(() => new Response(answer, { headers: { "content-type": "application/json" } }));
    const invoice = await mainClient({ fetch, validation: "off" }).invoices.get(1);
    expect(JSON.stringify(invoice)).toBe(answer);
  });
});

describe("the score of a grade", () => {
  test("is a number in the request and text in the response", async () => {
    const grade = {
      ...{ id: 1, grader_id: null, result: null, grade: null, score: "8.50", gradeable_id: 1, gradeable_type: "x" },
      ...{ comment: null, updated_at: "2030-06-30T08:00:00.000Z", created_at: "2030-06-30T08:00:00.000Z" },
    };
    const { fetch, calls } = recordingFetch(() => jsonResponse(grade, 201));
    const client = mainClient({ fetch, validation: "strict" });
    const created = await client.grades.create({ score: 8.5, gradeable_id: 1, gradeable_type: "x" });
    expect(calls[0]?.body).toBe('{"score":8.5,"gradeable_id":1,"gradeable_type":"x","grade":null}');
    expect(created.score).toBe("8.50");
  });

  test.each(["8.5", Number.NaN, Number.POSITIVE_INFINITY])("%j is refused in a request", async (given) => {
    const { main, calls } = wire();
    const body = { score: given as number, gradeable_id: 1, gradeable_type: "x" };
    expect((await issuesOf(main.grades.create(body))).map((issue) => issue.path)).toEqual(["score"]);
    expect((await issuesOf(main.grades.update(1, { score: given as number }))).map((issue) => issue.path)).toEqual([
      "score",
    ]);
    expect(calls).toEqual([]);
  });
});
