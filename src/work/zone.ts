import { isEducationAdminError } from "../core/errors.js";
import { daysIn } from "./days.js";

/**
 * The school's time zone, in which its days begin and end; null if the key may not read it. Takes one request.
 * @param read calls `educators.get`; absent for a client without that operation, or without a key.
 * @throws all other errors of the call.
 */
export async function zoneOf(read: (() => unknown) | null | undefined): Promise<string | null> {
  try {
    const zone = String(((await read?.()) as { readonly time_zone?: unknown } | null | undefined)?.time_zone);
    return isZone(zone) ? zone : null;
  } catch (error) {
    if (isEducationAdminError(error, "api") && [401, 403, 404, 412].includes(error.status)) return null;
    throw error;
  }
}

/** True for a time zone that exists, such as `Europe/Amsterdam`. */
export function isZone(zone: unknown): boolean {
  try {
    return typeof zone === "string" && daysIn(zone) !== undefined;
  } catch {
    return false;
  }
}
