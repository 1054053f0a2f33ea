import { methodOf } from "../core/inside-client.js";
import { zoneOf } from "../work/zone.js";
import type { Tools } from "./context.js";

/** The school's time zone, which defines where its days begin; UTC if it cannot be read. Requested only once. */
export async function schoolZone(tools: Tools, signal: AbortSignal): Promise<string> {
  const get = methodOf(tools.session.client, "educators.get");
  tools.zone.known ??= (await zoneOf(get && (() => get({ signal })))) ?? "UTC";
  return tools.zone.known;
}
