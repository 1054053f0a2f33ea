import { describe, expect, expectTypeOf, it, vi } from "vitest";
import {
  parseWebhook,
  refetch,
  type WebhookEvent,
  WebhookEventName,
  type WebhookEventOf,
  WebhookPayloadError,
} from "../../src/webhooks/index.js";

const reasonOf = (body: string | Uint8Array, maxDepth?: number) => {
  try {
    parseWebhook(body, maxDepth === undefined ? {} : { maxDepth });
    return "accepted";
  } catch (error) {
    return error instanceof WebhookPayloadError ? error.reason : error;
  }
};

describe("WebhookEventName", () => {
  it("lists the 93 known names once each, in order", () => {
    expect(WebhookEventName.values).toHaveLength(93);
    expect([...new Set(WebhookEventName.values)].sort()).toEqual([...WebhookEventName.values]);
  });

  it("includes the names that follow no pattern", () => {
    for (const name of [
      "certificate.awarded",
      "meeting.teacher_attendees_changed",
      "planned_course.canceled",
      "order.approved",
      "order.denied",
      "program_enrollment.cancel",
      "program_enrollment.graduation_revoked",
      "user.merged",
    ]) {
      expect(WebhookEventName.is(name), name).toBe(true);
    }
    expect(WebhookEventName.is("invoice.exploded")).toBe(false);
  });

  it("accepts an unknown name as a type, and patterns narrow known ones", () => {
    expectTypeOf<"brand.new">().toExtend<WebhookEvent["event"]>();
    expectTypeOf<WebhookEventOf<"invoice.updated">["event"]>().toEqualTypeOf<"invoice.updated">();
    expectTypeOf<"invoice.paid">().toExtend<WebhookEventOf<"invoice.*">["event"]>();
    expectTypeOf<"course.updated">().not.toExtend<WebhookEventOf<"invoice.*">["event"]>();
    expectTypeOf<"course.deleted">().toExtend<WebhookEventOf<"*.deleted">["event"]>();
  });
});

describe("parseWebhook", () => {
  it("keeps unknown events and fields unchanged", () => {
    const payload = {
      tenant_id: "5f0c1d7e-2b7a-4b60-9d7c-0a4a3f1f6a11",
      educator: "academy",
      event: "spaceship.launched",
      event_data: { id: 7, type: "Spaceship", crew: [{ name: "é" }], toString: "x" },
      delivered_by: { host: 3 },
    };
    expect(parseWebhook(JSON.stringify(payload))).toEqual(payload);
    expect(parseWebhook(new TextEncoder().encode(JSON.stringify(payload)))).toEqual(payload);
  });

  it("gives an event without data an empty object, so that listeners can read its fields", () => {
    expect(parseWebhook('{"event":"user.merged"}').event_data).toEqual({});
    expect(parseWebhook('{"event":"user.merged","event_data":null}').event_data).toEqual({});
  });

  it.each([[{ a: 1 }], [[7]], [true], [null]])("passes on %j as an identifier that reads no record", async (id) => {
    const event = parseWebhook(JSON.stringify({ event: "invoice.updated", event_data: { id } }));
    expect(event.event_data).toEqual({ id });
    const get = vi.fn();
    expect(await refetch({ invoices: { get } })(event)).toBeUndefined();
    expect(get).not.toHaveBeenCalled();
  });

  const flat = { event: "invoice.updated", entity_id: 7, entity_type: "Invoice", tenant_id: "t-1" };
  const full = {
    tenant_id: "t-1",
    educator: "academy",
    event: "invoice.updated",
    event_data: { id: 7, type: "Invoice" },
  };

  it("converts the older body to an event with the same fields", () => {
    // The example that the service documents.
    const older = `{"notification": {"event": "planned_course.updated", "educator": "academy", "entity_id": 142716,
      "tenant_id": "5f0c1d7e-2b7a-4b60-9d7c-0a4a3f1f6a11", "entity_type": "PlannedCourse"}}`;
    expect(parseWebhook(older)).toEqual({
      tenant_id: "5f0c1d7e-2b7a-4b60-9d7c-0a4a3f1f6a11",
      educator: "academy",
      event: "planned_course.updated",
      event_data: { id: 142_716, type: "PlannedCourse" },
    });
    expect(parseWebhook(JSON.stringify(flat))).toEqual({ ...full, educator: "" });
    expect(parseWebhook('{"event":"a.b","entity_id":"x-7"}').event_data).toEqual({ id: "x-7" });
    // `event_data` takes precedence over the fields of the older body.
    expect(parseWebhook(JSON.stringify({ ...full, entity_id: 8 })).event_data.id).toBe(7);
  });

  it("reads the event inside a notification, with the fields of either body", () => {
    expect(parseWebhook(JSON.stringify({ notification: full }))).toEqual(full);
    expect(parseWebhook(JSON.stringify({ notification: flat })).event_data).toEqual({ id: 7, type: "Invoice" });
    const beside = { tenant_id: "t-2", attempt: 3, notification: { ...full, tenant_id: undefined } };
    expect(parseWebhook(JSON.stringify(beside))).toEqual({ ...full, tenant_id: "t-2", attempt: 3 });
    expect(parseWebhook(JSON.stringify({ ...full, notification: { event: "x.y" } })).event).toBe("invoice.updated");
    for (const notification of [null, 7, [full], {}]) {
      expect(reasonOf(JSON.stringify({ notification }))).toBe("no_event_name");
    }
  });

  it("checks the types of the documented fields, and fills in absent ones", () => {
    expect(parseWebhook('{"event":"a.b"}')).toMatchObject({ tenant_id: "", educator: "" });
    expect(parseWebhook('{"event":"a.b","tenant_id":null,"educator":null}')).toMatchObject({
      tenant_id: "",
      educator: "",
    });
    for (const field of ["tenant_id", "educator"]) {
      for (const value of [7, {}, [], true]) {
        expect(reasonOf(JSON.stringify({ event: "a.b", [field]: value }))).toBe("malformed_tenant");
      }
    }
    for (const wrong of [{ entity_id: {} }, { entity_id: true }, { entity_id: 1, entity_type: 7 }]) {
      expect(reasonOf(JSON.stringify({ event: "a.b", ...wrong }))).toBe("malformed_event_data");
    }
  });

  it("excludes unknown fields of the flat form from the data", () => {
    const data = (fields: object) => parseWebhook(JSON.stringify({ event: "a.b", ...fields })).event_data;
    expect(data({ entity_id: null, entity_type: null })).toEqual({});
    expect(Object.keys(data({ entity_id: null, entity_type: "" }))).toEqual([]);
    expect(Object.keys(data({ entity_type: "Invoice" }))).toEqual(["type"]);
    expect(Object.keys(data({ entity_id: 0 }))).toEqual(["id"]);
  });

  it("refuses every other body with the reason", () => {
    expect(reasonOf("")).toBe("not_json");
    expect(reasonOf('{"event":"a.b"')).toBe("not_json");
    expect(reasonOf(Uint8Array.of(0x22, 0xff, 0x22))).toBe("not_json");
    for (const text of ["[]", "null", "7", '"text"', "true"]) expect(reasonOf(text)).toBe("not_an_object");
    for (const text of ["{}", '{"event":""}', '{"event":7}']) expect(reasonOf(text)).toBe("no_event_name");
    for (const data of ["[]", "7", '"x"']) {
      expect(reasonOf(`{"event":"a.b","event_data":${data}}`)).toBe("malformed_event_data");
    }
  });

  it("counts nested objects and arrays, but not brackets in texts", () => {
    const nestedBody = (levels: number) => `{"event":"a.b","x":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
    expect(reasonOf(nestedBody(64))).toBe("accepted");
    expect(reasonOf(nestedBody(65))).toBe("too_deep");
    expect(reasonOf(nestedBody(3), 2)).toBe("too_deep");
    // A closed array or object no longer counts, so that a body may be of any width.
    expect(reasonOf(`{"event":"a.b","x":[${Array(100).fill("[],{}").join()}]}`)).toBe("accepted");
    expect(reasonOf(`{"event":"a.b","x":[{},[],[[]]]}`, 3)).toBe("too_deep");
    expect(reasonOf(`{"event":"a.b","x":"${"[{".repeat(100)}\\"${"[".repeat(100)}"}`)).toBe("accepted");
    expect(reasonOf("[".repeat(1_000_000))).toBe("too_deep");
  });

  it("quotes nothing from a refused body", () => {
    const error = (() => {
      try {
        return parseWebhook('{"event": secret-name@example.com');
      } catch (thrown) {
        return thrown as Error;
      }
    })() as Error;
    expect(`${error.stack}${JSON.stringify(error)}`).not.toContain("secret-name");
    expect(error.cause).toBeUndefined();
  });
});
