import { isIP } from "node:net";

const LOCAL = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/;

/**
 * True if a `Host` header names this machine by a local name. Any other name may belong to an attacker who points it at
 * this machine (DNS rebinding).
 */
export function isLocalHost(host: string): boolean {
  return LOCAL.test(host);
}

/** True if a request addresses this machine by a local name, an IP address or the name on which it listens. */
export function isThisHost({ host, hostname }: URL, listened: string | undefined): boolean {
  const name = hostname.replace(/^\[|\]$/g, "");
  // Accepts any IP address: an attacker can only point host names at this machine.
  return isLocalHost(host) || isIP(name) !== 0 || name === listened?.toLowerCase();
}
