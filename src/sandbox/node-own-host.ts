import { isIP } from "node:net";

const LOCAL = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/;

/** Tells whether a `Host` names this machine. Any other name may belong to somebody who has pointed it here: DNS rebinding. */
export function isLocalHost(host: string): boolean {
  return LOCAL.test(host);
}

/** Whether a request asks for this machine, by an address or by the name at which it listens. */
export function isOwnHost({ host, hostname }: URL, listened: string | undefined): boolean {
  const name = hostname.replace(/^\[|\]$/g, "");
  // Only names can be pointed elsewhere, addresses cannot.
  return isLocalHost(host) || isIP(name) !== 0 || name === listened?.toLowerCase();
}
