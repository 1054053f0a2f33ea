import { beforeEach, describe, expect, it } from "vitest";
import { RetryQuota } from "../../src/core/call/retry.js";

let quota: RetryQuota;
beforeEach(() => {
  quota = new RetryQuota();
});

/** Retries until the quota is used up. @returns the number of retries. */
function retries(): number {
  let count = 0;
  for (; quota.left && count < 1_000; count++) quota.spend();
  return count;
}

const earn = (times: number, retried: boolean) => {
  for (let at = 0; at < times; at++) quota.earn(retried);
};

describe("the retry quota", () => {
  it("allows 100 retries in a row", () => {
    expect(retries()).toBe(100);
  });

  it("allows one more after five calls that succeed at once", () => {
    retries();
    earn(4, false);
    expect(quota.left).toBe(false);
    earn(1, false);
    expect(retries()).toBe(1);
  });

  it("gets back the cost of a retry if its call succeeds", () => {
    retries();
    earn(3, true);
    expect(retries()).toBe(3);
  });

  it("never exceeds its initial value, however many calls succeed", () => {
    quota.spend();
    earn(1_000, false);
    earn(1_000, true);
    expect(retries()).toBe(100);
  });
});
