// The control: a page that generates code, which the policy forbids and the checker must notice.
try {
  new Function("return 1")();
} catch {
  // The policy has refused it, as expected.
}
globalThis.result = {};
