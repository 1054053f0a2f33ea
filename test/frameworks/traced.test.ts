import { execFileSync } from "node:child_process";
import { beforeAll, expect, test } from "vitest";
import { install } from "../../scripts/lib/install.ts";

interface Traced {
  readonly calls: number;
  readonly spans: readonly { readonly by: string; readonly name: string; readonly kind: number }[];
  readonly durations: readonly { readonly by: string; readonly name: string; readonly count: number }[];
}

const OWN = "education-admin-sdk";
const UNDICI = "@opentelemetry/instrumentation-undici";
let traced: Traced;

beforeAll(() => {
  install(import.meta.dirname);
  traced = JSON.parse(
    execFileSync(process.execPath, ["traced.mjs"], { cwd: import.meta.dirname, encoding: "utf8" }),
  ) as Traced;
});

test("a call has its span and one span of its request, beside undici's instrumentation", () => {
  const { calls, spans } = traced;
  const count = (by: string, kind: number) => spans.filter((span) => span.by === by && span.kind === kind).length;
  expect(calls).toBe(15);
  // The span of undici's instrumentation is that of the program's own request.
  expect([count(OWN, 0), count(OWN, 2), count(UNDICI, 2)]).toEqual([calls, calls, 1]);
});

test("nothing that was sent is in any span or metric", () => {
  expect(JSON.stringify(traced)).not.toContain("canary");
  expect(JSON.stringify(traced.spans)).not.toContain("accounts/7");
});

test("no metric counts a request twice", () => {
  const { calls, durations } = traced;
  const counts = durations.map(({ by, name, count }) => [by, name, count]);
  expect(counts.filter(([by]) => by === OWN)).toEqual([
    [OWN, "education_admin.request.duration", calls],
    [OWN, "education_admin.call.duration", calls],
  ]);
  // Requests that reach a server, and the program's own.
  expect(counts.filter(([by]) => by === UNDICI)).toEqual([[UNDICI, "http.client.request.duration", 11]]);
});
