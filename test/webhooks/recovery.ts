import { MainClient } from "../../src/index.js";
import { createSandbox, type SandboxOptions } from "../../src/sandbox/index.js";
import { createWebhookHandler, ensureWebhook, memoryStore, type WebhookHandler } from "../../src/webhooks/index.js";
import { takeAt } from "./support.js";

const URL_OF_RECEIVER = "https://hooks.school.example/events";
export const NOW = "2025-06-01T12:00:00.000Z";
const SECRET = "s3cret";

/** A moment before anything is sent. */
export const since = new Date(Date.parse(NOW) - 1_000);

interface SetUpOptions {
  readonly webhooks?: SandboxOptions["webhooks"];
}

/** A sandbox whose receiver can be down, slow to respond, or lost behind a host that responds instead. */
export function setUp(options: SetUpOptions = {}) {
  const inbox = memoryStore({ maxPending: 100_000, maxRemembered: 100_000 });
  let weather: "up" | "down" | "stores but answers 500" | "host answers 200" = "up";
  const sandbox = createSandbox({
    empty: true,
    size: 5,
    now: NOW,
    webhooks: {
      data: "record",
      secrets: SECRET,
      retryAfterMs: [],
      keptNotifications: 100_000,
      fetch: async (request) => {
        if (weather === "down") throw new TypeError("fetch failed");
        if (weather === "host answers 200") return new Response();
        const answer = await handler(request);
        return weather === "up" ? answer : new Response(null, { status: 500 });
      },
      ...options.webhooks,
    },
  });
  // Nothing takes deliveries from the inbox, so that the test can count them.
  const handler: WebhookHandler = createWebhookHandler({
    store: { put: inbox.put },
    signature: { secrets: SECRET },
    report: () => undefined,
    clock: sandbox.clock,
  });
  const client = new MainClient({ ...sandbox.main, validation: "strict" });
  let version = 0;
  return {
    sandbox,
    client,
    inbox,
    is: (state: typeof weather) => {
      weather = state;
    },
    subscribe: (url = URL_OF_RECEIVER) => ensureWebhook(client, { url, events: ["lead.*"] }),
    /** Sends events about leads, each with a different version. */
    send: async (count: number, versioned = true) => {
      for (let at = 0; at < count; at++) {
        const updated_at = new Date(Date.parse(NOW) + ++version).toISOString();
        sandbox.webhooks.send("lead.updated", { id: 1 + (at % 50), ...(versioned && { status: "open", updated_at }) });
      }
      await sandbox.webhooks.settled();
    },
    /** The `event_data` of the deliveries in the inbox. */
    async receivedData(): Promise<unknown[]> {
      const taken = await inbox.take(takeAt(Date.now(), 1_000_000));
      return taken.map(({ payload }) => JSON.parse(payload).event_data);
    },
  };
}
