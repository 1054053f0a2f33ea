const { TestEnvironment } = require("jest-environment-jsdom");

// Adds Node's versions of globals that browsers have and jsdom lacks.
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
// These must come from the same realm as fetch, which refuses a signal of another realm.
const SAME_REALM = ["AbortController", "AbortSignal"];

module.exports = class extends TestEnvironment {
  async setup() {
    await super.setup();
    for (const name of [...MISSING, ...SAME_REALM]) this.global[name] = globalThis[name];
    Object.defineProperty(this.global.crypto, "subtle", { value: globalThis.crypto.subtle });
  }
};
