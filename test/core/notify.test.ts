import { expect, test, vi } from "vitest";
import { eventOf, notify, type RequestEvent } from "../../src/core/events.js";

const event: RequestEvent = { operation: "rooms.get", method: "GET", path: "rooms/{id}", attempt: 1 };

test("an observer gets the event, and without one nothing happens", () => {
  const request = vi.fn();
  notify({ request }, "request", event);
  expect(request).toHaveBeenCalledExactlyOnceWith(event);
  expect(() => notify({ request: undefined }, "request", event)).not.toThrow();
  expect(() => notify({}, "request", event)).not.toThrow();
});

test("an error, a rejection or a value from an observer has no effect", async () => {
  const rejected = vi.fn();
  process.once("unhandledRejection", rejected);
  try {
    const throwing = () => {
      throw new Error("mine");
    };
    expect(() => notify({ request: throwing }, "request", event)).not.toThrow();
    notify({ request: async () => throwing() }, "request", event);
    notify({ request: (() => ({ catch: 7 })) as () => void }, "request", event);
    await new Promise((resolve) => setImmediate(resolve));
    expect(rejected).not.toHaveBeenCalled();
  } finally {
    process.off("unhandledRejection", rejected);
  }
});

test("the part of an event that names the operation contains nothing else", () => {
  expect(eventOf({ id: "rooms.get", method: "GET", path: "rooms/{id}", apis: ["main"] } as never)).toEqual({
    operation: "rooms.get",
    method: "GET",
    path: "rooms/{id}",
  });
});
