// playwright.config.ts
import { defineConfig } from "@playwright/test";

const sandbox =
  "npx education-admin-sdk sandbox --port 4010 --empty --now 2026-03-01 --freeze --key test-key --control --quiet";
const env = { EDUCATION_ADMIN_BASE_URL: "http://127.0.0.1:4010", EDUCATION_ADMIN_API_KEY: "test-key" };

export default defineConfig({
  workers: 1, // the tests share one sandbox
  use: { baseURL: "http://127.0.0.1:3000" },
  webServer: [
    { command: sandbox, url: "http://127.0.0.1:4010/__sandbox" },
    { command: "node app.ts", url: "http://127.0.0.1:3000", env },
  ],
});
