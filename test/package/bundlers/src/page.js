// Runs the smoke suite in a page; the checker reads globalThis.result.
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
