// preview.ts
import { createSandbox, type Sandbox } from "education-admin-sdk/sandbox";
import { handlers } from "education-admin-sdk/sandbox/msw";
import { setupWorker } from "msw/browser";

const sandbox = createSandbox({ apiKey: "key", size: "small" });
const worker = setupWorker(...handlers(sandbox, { baseUrl: "https://school.example" }));

/** Setup of a story: `parameters: { sandbox: (sandbox) => sandbox.faults.next({ status: 503 }) }`. */
interface StoryContext {
  readonly parameters: { readonly sandbox?: (sandbox: Sandbox) => void };
}

// biome-ignore lint/style/noDefaultExport: Storybook reads the default export.
export default {
  beforeAll: async () => {
    await worker.start({ quiet: true });
    return () => worker.stop();
  },
  beforeEach: ({ parameters }: StoryContext) => {
    sandbox.reset();
    parameters.sandbox?.(sandbox);
  },
};
