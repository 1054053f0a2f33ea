import { MainClient } from "education-admin-sdk";
import { createSandbox } from "education-admin-sdk/sandbox";

// The service in the page itself, with a network's slowness. To use a real one, drop the sandbox and give baseUrl and
// apiKey; a key in a page is readable by everybody, so let your own server add it and pass that server's address here.
const sandbox = createSandbox({ seed: 7, size: 20_000 });
const SLOWNESS_MS = 400;

/** The client of this page. */
export const client: MainClient = new MainClient({
  baseUrl: sandbox.baseUrl,
  apiKey: sandbox.apiKey,
  fetch: async (url, init) => {
    await new Promise((resolve) => setTimeout(resolve, SLOWNESS_MS));
    return sandbox.fetch(url, init);
  },
});
