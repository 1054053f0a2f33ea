import { MainClient } from "education-admin-sdk";
import { createSandbox } from "education-admin-sdk/sandbox";

// The sandbox runs in the page itself, slowed down like a network. To use the real service, give the address of your own
// server as baseUrl and apiKey: null: a key in a page can be read by every visitor, so your server must add it.
const sandbox = createSandbox({ seed: 7, size: 20_000 });
const DELAY_MS = 400;

/** The client of this page. */
export const client: MainClient = new MainClient({
  ...sandbox,
  fetch: async (url, init) => {
    await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
    return sandbox.fetch(url, init);
  },
});
