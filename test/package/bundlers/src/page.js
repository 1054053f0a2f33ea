// The smoke suite as a page: what the checker reads is globalThis.result.
import { smoke } from "../smoke.mjs";

const parameters = new URLSearchParams(location.search);
smoke({
  baseUrl: parameters.get("baseUrl"),
  apiKey: parameters.get("apiKey"),
  dangerouslyAllowBrowser: true,
}).then(
  (steps) => {
    globalThis.result = { steps };
  },
  (error) => {
    globalThis.result = { error: String(error.stack ?? error) };
  },
);
