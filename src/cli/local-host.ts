const LOCAL = /^(127\.0\.0\.1|localhost)(:\d{1,5})?$/;

/** Tells whether a `Host` names this machine. Any other name may belong to somebody who has pointed it here: DNS rebinding. */
export function isLocalHost(host: string): boolean {
  return LOCAL.test(host);
}
