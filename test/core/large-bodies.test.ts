import { describe, expect, it } from "vitest";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure } from "../support/manual-clock.js";
import { timesTheCost } from "../support/processor-time.js";

// 2.2 MB in 60,000 values: to redact them, the library must search the short text of an error or event instead of
// writing out every form of each value.
const body = { names: Array.from({ length: 60_000 }, (_, at) => `Person number ${at} of the school é`) };

const headers = { "x-request-id": "0f8b3c1e-1234-4bcd-9def-0123456789ab" };
const refusal = {
  errors: { name: ["is too long: Person number 59999 of the school é"] },
  code: 422,
  message: "Unprocessable Entity",
};

function sending(status: number, on = {}) {
  const { fetch } = recordingFetch(() => jsonResponse(status === 422 ? refusal : { id: 1 }, status, headers));
  const client = mainClient({ fetch, on, validation: "off" });
  return () => client.request({ method: "POST", path: "api/v1/imports", body });
}

describe("a body of 2.2 MB", () => {
  it("costs at most fifteen times as much when it is refused as when it is accepted", async () => {
    const error = await failure(sending(422)());
    expect(error.message).toContain("is too long: [redacted]");
    expect(await timesTheCost(() => failure(sending(422)()), sending(201))).toBeLessThan(15);
  });

  it("costs at most eight times as much with an observer of responses as without", async () => {
    expect(await timesTheCost(sending(201, { response: () => undefined }), sending(201))).toBeLessThan(8);
  });
});
