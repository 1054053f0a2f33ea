import { expect, test } from "vitest";
import { recoverWebhooks } from "../../src/webhooks/index.js";
import { amount } from "../support/amount.js";
import { setUp, since } from "./recovery.js";

// The number of notices, in hundreds.
const NOTICES = amount(3, 100);

test(`a day's outage: ${NOTICES}00 notices, each recovered once, in ${NOTICES + 2} requests of priority batch`, async () => {
  const { sandbox, client, inbox, subscribe, send, receivedData, is } = setUp();
  await subscribe();
  await send(200);
  is("down");
  for (let hour = 0; hour < 24; hour++) {
    await sandbox.clock.advance(3_600_000);
    await send((hour === 0 ? 8 : 4) * NOTICES);
  }
  is("up");
  const requests = sandbox.requests.length;
  const lanes = new Set<unknown>();
  const { webhooks } = client;
  const noted = {
    list: (...given: Parameters<typeof webhooks.list>) => webhooks.list(lane(given[1], given[0]), given[1]),
    listNotifications: (...given: Parameters<typeof webhooks.listNotifications>) =>
      webhooks.listNotifications(lane(given[1], given[0]), given[1]),
    listFailedNotifications: (...given: Parameters<typeof webhooks.listFailedNotifications>) =>
      webhooks.listFailedNotifications(lane(given[2], given[0]), given[1], given[2]),
  };
  function lane<T>(options: { priority?: unknown } | undefined, value: T): T {
    lanes.add(options?.priority);
    return value;
  }
  const report = await recoverWebhooks({ webhooks: noted }, { inbox, since, clock: sandbox.clock });
  expect(report).toMatchObject({ recovered: 100 * NOTICES, alreadyReceived: 0, complete: true });
  expect(sandbox.requests.length - requests).toBeLessThanOrEqual(NOTICES + 2);
  expect([...lanes]).toEqual(["batch"]);
  const versions = (await receivedData()).map((data) => (data as { updated_at: string }).updated_at);
  expect([versions.length, new Set(versions).size]).toEqual([100 * NOTICES + 200, 100 * NOTICES + 200]);
});
