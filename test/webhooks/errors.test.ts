import { expect, it } from "vitest";
import { ApiError, EducationAdminError, isEducationAdminError } from "../../src/core/errors.js";
import {
  WebhookListenerTimeoutError,
  WebhookPayloadError,
  WebhookRecordBusyError,
  WebhookVerificationError,
} from "../../src/webhooks/index.js";

const errors = [
  new WebhookVerificationError("too_old", "The webhook was signed long ago"),
  new WebhookPayloadError("not_json", "The webhook body is not JSON"),
  new WebhookListenerTimeoutError(1_000),
  new WebhookRecordBusyError(),
];
const classes = errors.map((error) => error.constructor as unknown as new () => Error);

it.each(errors.map((error) => [error.name, error] as const))("%s is restored from JSON with its class", (_, error) => {
  const once = EducationAdminError.fromJSON(JSON.parse(JSON.stringify(error)));
  const twice = EducationAdminError.fromJSON(JSON.parse(JSON.stringify(once)));
  for (const restored of [once, twice]) {
    expect(classes.filter((Class) => restored instanceof Class)).toEqual([error.constructor]);
    expect(restored).toBeInstanceOf(Error);
    expect(restored).toBeInstanceOf(EducationAdminError);
    expect(restored).not.toBeInstanceOf(ApiError);
    expect(isEducationAdminError(restored, "webhook")).toBe(true);
    expect({ ...restored }).toEqual({ ...error });
    expect(restored.toJSON()).toEqual(error.toJSON());
  }
});
