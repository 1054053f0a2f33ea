import type { Sandbox } from "../../../src/sandbox/index.js";

/** Sends a request to the sandbox without the client. */
export async function ask(
  sandbox: Sandbox,
  method: string,
  path: string,
  body?: object,
  key: string | null = sandbox.apiKey,
) {
  const response = await sandbox.fetch(`${sandbox.baseUrl}/${path.startsWith("login") ? "" : "api/v1/"}${path}`, {
    method,
    redirect: "manual",
    headers: { ...(key !== null && { authorization: `Bearer ${key}` }), "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text;
  return { status: response.status, headers: response.headers, text, json };
}
