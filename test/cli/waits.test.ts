import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runCli } from "../../src/cli/main.js";
import { type Wait, waitLines, waitObservers } from "../../src/cli/tell/wait-lines.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";

const operation = { operation: "accounts.list", method: "GET", path: "api/v1/accounts" } as const;

test.for([
  ["get accounts 7", "accounts.get"],
  ["list accounts", "accounts.list"],
  ["export accounts", "accounts.list"],
  ["types", "signupQuestions.list"],
  ["webhooks list", "webhooks.list"],
  ["mirror --to FILE --resources accounts --once", "accounts.list"],
  ["export accounts --quiet", "accounts.list"],
  ["bulk plan labels LABELS --to PLAN --key name,model_type", "labels.list"],
] as const)(
  "%s reports that it waits, and until when, unless it is told to be quiet",
  { concurrent: true },
  async ([command, faulty], { onTestFinished }) => {
    const sandbox = createSandbox({ size: "small" });
    const server = await listen(sandbox);
    const folder = mkdtempSync(join(tmpdir(), "cli-waits-"));
    onTestFinished(async () => {
      await server.close();
      rmSync(folder, { recursive: true });
    });
    sandbox.faults.next({ operation: faulty, retryAfter: 3 });
    let stderr = "";
    const files = {
      FILE: join(folder, "copy.sqlite"),
      LABELS: join(folder, "labels.csv"),
      PLAN: join(folder, "a.plan"),
    };
    writeFileSync(files.LABELS, "name,model_type\nA label,Lead\n");
    const words = command.split(" ").map((word) => files[word as keyof typeof files] ?? word);
    const status = await runCli(words, {
      env: { EDUCATION_ADMIN_BASE_URL: server.url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey },
      stdout: {
        write(_: string, callback?: () => void) {
          callback?.();
        },
        on: () => undefined,
        off: () => undefined,
      } as { write(text: string): unknown },
      stderr: { isTTY: command.startsWith("mirror"), columns: 200, write: (text) => (stderr += text) },
    });
    expect(status).toBe(0);
    if (command.includes("--quiet")) expect(stderr).toBe("");
    else expect(stderr.match(/waiting until [\d:]{5,8}: the service asked to wait \(429\)/gi)).toHaveLength(1);
  },
);

describe("of a client", () => {
  beforeEach(() => void vi.useFakeTimers({ now: new Date(2030, 0, 1, 12, 0, 0) }));
  afterEach(() => void vi.useRealTimers());

  function observe() {
    const waits: Wait[] = [];
    const { wait, retry } = waitObservers((seen) => waits.push(seen));
    return {
      waits,
      wait: (reason: "window" | "concurrency" | "rate_limited", ms: number | null) =>
        wait?.({ ...operation, reason, expectedAt: ms === null ? null : new Date(Date.now() + ms) }),
      retry: (reason: string, delayMs: number) => retry?.({ ...operation, attempt: 1, reason, delayMs }),
    };
  }

  test("waits of at least 2 seconds are reported with their reason; shorter ones are not", () => {
    const { waits, wait, retry } = observe();
    wait("window", 1_999);
    wait("concurrency", null);
    retry("503", 1_999);
    expect(waits).toEqual([]);
    wait("window", 2_000);
    wait("window", null);
    wait("rate_limited", 200_000);
    for (const reason of ["429", "503", "connection", "timeout", "truncated"]) retry(reason, 2_000);
    const soon = new Date(2030, 0, 1, 12, 0, 2);
    expect(waits).toEqual([
      { until: soon, why: "the rate limit is used up" },
      { until: null, why: "the rate limit is used up" },
      { until: new Date(2030, 0, 1, 12, 3, 20), why: "the service asked to wait (429)" },
      { until: soon, why: "the service asked to wait (429)" },
      { until: soon, why: "the service answered 503" },
      { until: soon, why: "the connection failed" },
      { until: soon, why: "no response arrived in time" },
      { until: soon, why: "the response was truncated" },
    ]);
  });
});

describe("lines", () => {
  beforeEach(() => void vi.useFakeTimers({ now: new Date(2030, 0, 1, 12, 0, 0) }));
  afterEach(() => void vi.useRealTimers());

  function lines(isTTY = false) {
    const written: string[] = [];
    const tell = waitLines({ isTTY, write: (text) => written.push(text) });
    return {
      written,
      tell: (ms: number | null, why = "x") => tell({ until: ms === null ? null : new Date(Date.now() + ms), why }),
    };
  }

  test("show the time, rounded up, with the date if it is another day", () => {
    const { written, tell } = lines();
    tell(199_001);
    vi.advanceTimersByTime(10_000);
    tell(86_400_000);
    vi.advanceTimersByTime(10_000);
    tell(null);
    expect(written).toEqual([
      "Waiting until 12:03:20: x.\n",
      "Waiting until 2030-01-02 12:00:10: x.\n",
      "Waiting: x.\n",
    ]);
  });

  test("replace the progress line on a terminal", () => {
    const { written, tell } = lines(true);
    tell(2_000);
    expect(written).toEqual(["\r\x1b[KWaiting until 12:00:02: x.\n"]);
  });

  test("report one wait once, however many calls wait for it", () => {
    const { written, tell } = lines();
    tell(60_000);
    tell(60_900);
    vi.advanceTimersByTime(20_000);
    tell(40_000);
    expect(written).toHaveLength(1);
    tell(120_000);
    expect(written).toHaveLength(2);
  });

  test("appear at most every 10 seconds; then the longest unfinished wait is reported", () => {
    const { written, tell } = lines();
    tell(3_000, "first");
    vi.advanceTimersByTime(3_000);
    tell(200_000, "long");
    tell(5_000, "short");
    expect(written).toHaveLength(1);
    vi.advanceTimersByTime(7_000);
    expect(written).toEqual(["Waiting until 12:00:03: first.\n", "Waiting until 12:03:23: long.\n"]);
    vi.advanceTimersByTime(193_000);
    tell(3_000, "third");
    vi.advanceTimersByTime(3_000);
    tell(4_000, "over by then");
    vi.advanceTimersByTime(60_000);
    expect(written.slice(2)).toEqual(["Waiting until 12:03:26: third.\n"]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
