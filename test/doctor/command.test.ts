import { expect, test } from "vitest";
import { runCli } from "../../src/cli/main.js";
import type { DoctorReport } from "../../src/doctor/index.js";
import { overHttp, refusal, type Served, serveSchool, withRecords } from "./support.js";

async function run(
  { baseUrl, sandbox }: Served,
  args: readonly string[],
): Promise<{ status: number; stdout: string; stderr: string }> {
  const written = { stdout: "", stderr: "" };
  const env = { EDUCATION_ADMIN_BASE_URL: baseUrl, EDUCATION_ADMIN_API_KEY: sandbox.apiKey };
  const output = (name: keyof typeof written) => ({
    isTTY: false,
    columns: 80,
    write: (text: string) => (written[name] += text),
  });
  return {
    status: await runCli(["doctor", ...args], { env, stdout: output("stdout"), stderr: output("stderr") }),
    ...written,
  };
}

test("prints few lines and ends with 0 if nothing differs; --verbose prints every check", async () => {
  const service = await overHttp(serveSchool());
  const { status, stdout, stderr } = await run(service, []);
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^doctor, main API: \d+ requests, \d+ checks: 0 differs, 0 new, 3 not seen, \d+ as assumed\n/);
  expect(stdout.trimEnd().split("\n").length).toBeLessThanOrEqual(6);
  const verbose = await run(service, ["--verbose"]);
  expect(verbose.stdout.match(/^as assumed /gm)?.length).toBeGreaterThan(25);
});

test("ends with 0 for a field that the models do not have", async () => {
  const service = await overHttp(
    serveSchool({
      answer: (response, _, { pathname }) =>
        pathname.startsWith("/api/v1/courses")
          ? withRecords(response, (records) => records.map((each) => ({ ...each, mood: 1 })))
          : undefined,
    }),
  );
  const { status, stdout } = await run(service, []);
  expect([status, stdout.match(/^NEW .*\n.*/m)?.[0]]).toEqual([
    0,
    "NEW  unknown_fields: Do the models know every field?\n  Seen: courses.mood (number, null in 0 %)",
  ]);
});

test("prints the report as JSON, and ends with 1 if something differs", async () => {
  const service = await overHttp(serveSchool({ ask: ({ searchParams }) => searchParams.delete("page") }));
  const { status, stdout, stderr } = await run(service, ["--json", "--api", "admin"]);
  const { api, findings } = JSON.parse(stdout) as DoctorReport;
  expect(api).toBe("admin");
  expect(findings.filter(({ status }) => status === "differs").map(({ check }) => check)).toEqual(["page_numbers"]);
  expect([status, stderr]).toEqual([1, "1 check: the service differs from the assumptions\n"]);
});

test("ends with 2 if no list can be read", async () => {
  const { status, stdout, stderr } = await run(await overHttp(serveSchool({ answer: () => refusal(403) })), []);
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^accounts\.list: 403 Forbidden/);
});
