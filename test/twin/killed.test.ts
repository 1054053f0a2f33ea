import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { temporaryFolder } from "../cli/types-support.js";
import { overHttp, serveSchool } from "../doctor/support.js";
import { drawCases } from "../support/amount.js";
import { start } from "../support/program.js";

test("a process killed at any request or during its write leaves the earlier file or the complete new one", async () => {
  let onArrival = (): void => undefined;
  let left = Number.POSITIVE_INFINITY;
  const answer = () => {
    if (--left === 0) onArrival();
    return undefined;
  };
  const { sandbox, baseUrl } = await overHttp(serveSchool({ answer }, { size: 12, rateLimit: false }));
  const env = { EDUCATION_ADMIN_BASE_URL: baseUrl, EDUCATION_ADMIN_API_KEY: sandbox.main.apiKey };
  const file = join(temporaryFolder(), "school.twin.json");
  const take = () => start("dist/cli/cli.js", ["twin", "--to", file], { env });
  const whole = async () => {
    left = 1_000_000;
    await take().ended;
    return { text: readFileSync(file, "utf8"), requests: 1_000_000 - left };
  };
  const { text: before, requests } = await whole();
  sandbox.store.categories.insert({ name: "A new category" });
  const states = new Set<string>();
  const kills = Array.from({ length: 30 }, (_, at) => at);
  for (const kill of drawCases(kills, 6)) {
    const until = new Promise<void>((resolve) => {
      onArrival = resolve;
    });
    left = kill < 10 ? 1 + Math.floor((kill * requests) / 10) : requests;
    const running = take();
    await Promise.race([until, running.ended]);
    // After the last response, the process still checks, builds and writes the twin.
    await setTimeout(kill < 10 ? 0 : kill - 10);
    await running.end("SIGKILL");
    states.add(readFileSync(file, "utf8"));
  }
  const { text: now } = await whole();
  expect(now).not.toBe(before);
  expect([...states].filter((text) => text !== before && text !== now)).toEqual([]);
  expect(states).toContain(before);
});
