import { afterEach, expect, test, vi } from "vitest";
import { ConfigurationError, logTo, MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

async function useClient(on = {}): Promise<void> {
  const sandbox = createSandbox({ size: "small" });
  const client = new MainClient({ ...sandbox, on });
  sandbox.faults.next({ operation: "accounts.get", status: 503 });
  await client.accounts.get(7);
  for await (const _ of client.accounts.list({ search: "canary" })) break;
  await client.request({ method: "GET", path: "api/v1/labels" });
}

test("every event is a line at its level, without sent values", async () => {
  const lines: string[] = [];
  const at = (level: string) => (line: string) =>
    lines.push(`${level}: ${line.replace(/(\w+Ms|requestId)=\S+/g, "$1=…")}`);
  const logger = { debug: at("debug"), info: at("info"), warn: at("warn") };
  await useClient(logTo(logger, "debug"));
  const account = "accounts.get GET accounts/{id} attempt";
  expect(lines.slice(0, 5)).toEqual([
    `debug: education-admin-sdk request ${account}=1`,
    `info: education-admin-sdk response ${account}=1 status=503 requestId=… durationMs=… waitedMs=…`,
    `warn: education-admin-sdk retry ${account}=1 reason=503 delayMs=…`,
    `debug: education-admin-sdk request ${account}=2`,
    `info: education-admin-sdk response ${account}=2 status=200 requestId=… durationMs=… waitedMs=…`,
  ]);
  expect(lines).toContain("debug: education-admin-sdk page accounts.list GET accounts page=1 records=0 hasNext=false");
  expect(lines.at(-1)).toMatch(/^info: education-admin-sdk response GET api\/v1\/labels attempt=1/);
  expect(lines.join()).not.toContain("canary");
  lines.length = 0;
  await useClient(logTo(logger));
  expect(new Set(lines.map((line) => line.split(" ")[2]))).toEqual(new Set(["response", "retry"]));
});

test("the environment variable adds a log to every client, beside its own observers", async () => {
  const written = vi.spyOn(console, "error").mockReturnValue();
  const observed = vi.fn();
  await useClient({ response: observed });
  expect(written).not.toHaveBeenCalled();
  vi.stubEnv("EDUCATION_ADMIN_LOG", "info");
  observed.mockClear();
  await useClient({ response: observed });
  expect(observed).toHaveBeenCalledTimes(4);
  expect(written.mock.calls.filter(([line]) => line.includes(" response "))).toHaveLength(4);
  vi.stubEnv("EDUCATION_ADMIN_LOG", "all");
  await expect(useClient()).rejects.toThrow(ConfigurationError);
});

test.each([
  ["a line break in a name", "x\neducation-admin-sdk failure users.get status=500", "1", "[no name]"],
  ["a color in a name", "\u001b[2J\u001b[31mx", "1", "[no name]"],
  ["a direction in a name", "\u202ex", "1", "[no name]"],
  ["a telephone number as a name", "t_0612345678", "1", "[no name]"],
  ["an e-mail address as a name", "jo@school.example", "1", "[no name]"],
  ["a line break of Unicode in x-request-id", "new_field", "1\u0085education-admin-sdk failure", "new_field"],
])("a log line contains no control character and no data: %s", async (_, field, id, told) => {
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  const { fetch, ...sandbox } = createSandbox({ size: "small" });
  const odd = async (...request: Parameters<typeof fetch>) => {
    const record = (await (await fetch(...request)).json()) as object;
    return Response.json({ ...record, [field]: 1 }, { headers: { "x-request-id": id } });
  };
  const { baseUrl, apiKey, clock } = sandbox;
  const on = logTo({ debug: log, info: log, warn: log }, "debug");
  await new MainClient({ baseUrl, apiKey, clock, fetch: odd, on }).users.get(1);
  expect(lines.join("")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(lines.filter((line) => line.includes(" drift "))).toEqual([
    `education-admin-sdk drift users.get GET users/{id} field=${told} kind=unknown_field`,
  ]);
});
