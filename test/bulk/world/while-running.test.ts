import { expect, test } from "vitest";
import { drawCases } from "../../support/amount.js";
import { applyAmongColleagues, WAYS } from "./support/colleagues.js";

test.each(drawCases(Object.entries(WAYS), 1))(
  "changes by colleagues while a plan is applied are not overwritten, if records are read %s",
  async (_, way) => {
    const { broken, changes, stale, withinRoundTrip } = await applyAmongColleagues(way, 300, 60, 2);
    expect(broken).toEqual([]);
    expect(changes).toBeGreaterThan(40);
    expect(stale).toBeGreaterThan(5);
    expect(withinRoundTrip).toBeLessThanOrEqual(1);
  },
);
