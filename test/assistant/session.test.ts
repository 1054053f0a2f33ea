import { expect, test } from "vitest";
import { Session } from "../../src/assistant/session.js";
import { withSettings } from "../../src/core/inside-client.js";
import { MainClient } from "../../src/index.js";
import { sandbox, sandboxOptions } from "./support.js";

test("a session's client refuses a write, and so does its connection if the client lets one through", async () => {
  const { client } = new Session(new MainClient(sandboxOptions()), 10);
  const before = sandbox.requests.length;
  const open = withSettings(client, { readOnly: false }) as MainClient;
  await expect((client as MainClient).labels.delete(1)).rejects.toMatchObject({
    message: expect.stringContaining("the client is read-only"),
  });
  await expect(open.labels.delete(1)).rejects.toMatchObject({
    message: expect.not.stringContaining("read-only"),
    cause: { code: "internal" },
  });
  expect(sandbox.requests.length).toBe(before);
});
