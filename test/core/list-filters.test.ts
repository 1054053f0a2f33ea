import { describe, expect, it } from "vitest";
import { CheckpointError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure } from "../support/manual-clock.js";

describe("the filters of a list", () => {
  it("are those of the moment the list was made, also when it is read again", async () => {
    const { fetch, calls } = recordingFetch(() => jsonResponse([]));
    const client = mainClient({ fetch });
    const filters: { account_type?: "business" | "personal"; sort?: "created_at"[] } = {};
    const lists = (["business", "personal"] as const).map((type) => {
      filters.account_type = type;
      return client.accounts.list(filters);
    });
    await Promise.all(lists);
    filters.account_type = "business";
    await lists[1]?.toArray();
    await lists[1]?.toArray();
    const asked = calls.map(({ url }) => new URL(url).searchParams.get("account_type"));
    expect(asked).toEqual(["business", "personal", "personal"]);
  });

  it("cannot be replaced by a checkpoint that somebody has changed", async () => {
    const { fetch, calls } = recordingFetch(() => jsonResponse([], 200, { link: '<?cursor=b>; rel="next"' }));
    const client = mainClient({ fetch });
    const { checkpoint } = await client.invoices.list({ account_id: 1 });
    for (const name of ["account_id", "account_id[]"]) {
      const changed = JSON.stringify({ ...JSON.parse(checkpoint), next: [[name, "999"]] });
      const error = await failure(client.invoices.list({ account_id: 1 }, { resume: changed }).first());
      expect(error).toBeInstanceOf(CheckpointError);
      expect(error.message).toContain("other than cursor, page and per_page");
    }
    expect(calls).toHaveLength(1);
  });
});
