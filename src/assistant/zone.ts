import { daysIn } from "../work/days.js";
import type { Tools } from "./context.js";

/** The school's time zone, for computing days and months; UTC if it cannot be read. Sends one request, once. */
export async function zoneOf(tools: Tools, signal: AbortSignal): Promise<string> {
  const educators = tools.session.resource("educators") as {
    get?(options: object): PromiseLike<{ time_zone?: unknown }>;
  } | null;
  if (tools.zone.known !== null || !educators?.get) return tools.zone.known ?? "UTC";
  let zone = "UTC";
  try {
    zone = String((await educators.get({ signal })).time_zone);
    daysIn(zone);
  } catch {
    if (signal.aborted) throw signal.reason;
    zone = "UTC";
  }
  tools.zone.known = zone;
  return zone;
}
