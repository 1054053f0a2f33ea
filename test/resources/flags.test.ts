import { describe, expect, test } from "vitest";
import type { Operation } from "../../src/core/operation.js";
import { AdminClient, MainClient, NotFoundError, PermissionDeniedError } from "../../src/index.js";
import { allOperations } from "../../src/operations.js";
import { daysFrom } from "../../src/sandbox/data/days.js";
import { Random } from "../../src/sandbox/data/random.js";
import { sample } from "../../src/sandbox/sample.js";
import { options } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";

const rows = [...new Map(allOperations.map((row) => [row.id, row])).values()];
const flagged = rows.filter((row) => row.feature !== undefined);
const unconfirmed = rows.filter((row) => row.pathConfirmed === false);

// The first argument of these operations; the others need an identifier and a body, according to their row.
const FIRST: Record<string, unknown> = {
  "attendances.get": { meeting_id: 1, enrollment_id: 2 },
  "customAssociations.list": "users",
  "customObjects.get": "vehicles",
  "customRecords.list": "vehicles",
  "customRecords.create": "vehicles",
  "customRecords.get": { object_slug: "vehicles", record_id: 1 },
  "customRecords.update": { object_slug: "vehicles", record_id: 1 },
  "customRecords.delete": { object_slug: "vehicles", record_id: 1 },
  "enrollments.awardCertificate": 1,
  "organizationAffiliations.create": { organization_id: 1, user_id: 1 },
  "organizationAffiliations.update": 1,
  "organizationAffiliations.delete": 1,
  "organizations.get": 1,
  "requiredTeacherGroupAttendees.create": { teacher_id: 1, required_teacher_group_id: 1 },
};
const SECOND: Record<string, unknown> = {
  "customRecords.create": { display_name: "Van", properties: {} },
  "customRecords.update": { active: true },
  "enrollments.awardCertificate": { certificate_template_id: 1 },
  "organizationAffiliations.update": { key_contact: true },
};

describe("a refusal of an operation behind a feature flag names the flag", () => {
  test.each(flagged)("$id, which needs $feature", async (row) => {
    const { id, feature } = row;
    for (const [status, type] of [
      [403, PermissionDeniedError],
      [404, NotFoundError],
    ] as const) {
      const { fetch } = recordingFetch(() => jsonResponse({ errors: {}, code: status, message: "No" }, status));
      const error = await failure(call(new AdminClient(options({ fetch })), row));
      expect(error).toBeInstanceOf(type);
      expect(error.message).toMatch(new RegExp(`^${id}: ${status} .*No\\. Likely reasons: .*`));
      expect(error.message).toContain(`the feature flag "${feature}" is off`);
    }
  });
});

describe("an operation with an unconfirmed path", () => {
  test("is one of ten", () => {
    expect(unconfirmed).toHaveLength(10);
  });

  test.each(unconfirmed)("$id mentions this in a 404, and routes replaces the path", async (row) => {
    const { id, path, apis } = row;
    const { fetch, calls } = recordingFetch(() => jsonResponse({ errors: {}, code: 404, message: "No" }, 404));
    const error = await failure(call(new AdminClient(options({ fetch })), row));
    expect(error.message).toContain(`set the option routes["${id}"]`);
    const routes = { [id]: { path: `moved/${path}` } };
    const moved = new AdminClient(options({ fetch, routes }));
    await failure(call(moved, row));
    const prefix = apis[0] === "organization" ? "/api/organization/" : "/api/v1/";
    const [before, after] = calls.map((sent) => sent.url.pathname);
    expect(after).toBe(before?.replace(prefix, `${prefix}moved/`));
  });

  test("of the Organization API can be replaced in a client of the Main API too", async () => {
    const { fetch, calls } = recordingFetch(() => jsonResponse([]));
    const routes = { "organization.meetings.list": { path: "all_meetings" } };
    await new MainClient(options({ fetch, routes })).organization.meetings.list();
    expect(calls[0]?.url.pathname).toBe("/api/organization/all_meetings");
  });
});

function call(client: AdminClient, row: Operation): PromiseLike<unknown> {
  const names = row.id.split(".");
  const method = names.pop() ?? "";
  const resource = names.reduce<unknown>((owner, name) => (owner as Record<string, unknown>)[name], client);
  const args = argumentsOf(row);
  return (resource as Record<string, (...args: unknown[]) => PromiseLike<unknown>>)[method]?.(
    ...args,
  ) as PromiseLike<unknown>;
}

function argumentsOf({ id, params, body }: Operation): unknown[] {
  if (id in FIRST) return [FIRST[id], SECOND[id]].filter((argument) => argument !== undefined);
  return [
    ...(params ? [1] : []),
    ...(body
      ? [
          sample(
            body,
            new Random(1),
            daysFrom(() => 0),
          ),
        ]
      : []),
  ];
}

async function failure(answer: PromiseLike<unknown>): Promise<Error> {
  const error = await Promise.resolve(answer).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof Error) return error;
  throw new TypeError("the call was not refused");
}
