const LOCAL = /^(127\.0\.0\.1|localhost)(:\d{1,5})?$/;

/** Tells whether a `Host` names this machine. Any other name may be somebody's who lets it point here: DNS rebinding. */
export function isLocalHost(host: string): boolean {
  return LOCAL.test(host);
}
