const { TestEnvironment } = require("jest-environment-jsdom");

// What browsers have and jsdom does not: Node's own.
const MISSING = [
  "fetch",
  "Headers",
  "Request",
  "Response",
  "ReadableStream",
  "TextEncoder",
  "TextDecoder",
  "structuredClone",
];
// These must be of the same realm as fetch, which refuses another's signal.
const SAME_REALM = ["AbortController", "AbortSignal"];

module.exports = class extends TestEnvironment {
  async setup() {
    await super.setup();
    for (const name of [...MISSING, ...SAME_REALM]) this.global[name] = globalThis[name];
    Object.defineProperty(this.global.crypto, "subtle", { value: globalThis.crypto.subtle });
  }
};
