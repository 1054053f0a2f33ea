// The testing guide's recipes for a served sandbox, and for one in a page, run exactly as printed.
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createSocket } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { Chromium } from "../../scripts/check-package/chromium.ts";
import { internalImports } from "../../scripts/lib/internal-imports.ts";
import { root } from "../docs/support/code-blocks.ts";
import { entryPoints } from "../docs/support/entry-points.ts";
import { needs, pathOf } from "../support/tools.ts";
import { withoutRunner, writeRecipes } from "./recipe-files.ts";

const FOLDER = join(root, ".artefacts/recipes-served");
const exec = promisify(execFile);

beforeAll(async () => {
  // Other programs on this machine may be using the ports in the guide.
  const [sandbox, app] = [await freePort(), await freePort()];
  writeRecipes(FOLDER, (code) => code.replaceAll("4010", String(sandbox)).replaceAll("3000", String(app)));
  writeNpx();
});

/**
 * Writes an `npx` for the guide's command line, which runs the built package instead of an installed one. Like the real
 * npx with dash as its shell, it starts the sandbox in a separate process and forwards no signals.
 */
function writeNpx(): void {
  mkdirSync(join(FOLDER, "bin"));
  const npx = join(FOLDER, "bin/npx");
  const command = [process.execPath, join(root, "dist/cli/cli.js")].map((part) => `"${part}"`);
  writeFileSync(
    npx,
    `#!/bin/sh\n[ "$1" = education-admin-sdk ] || exit 64\nshift\n${command.join(" ")} "$@"\nexit $?\n`,
  );
  chmodSync(npx, 0o755);
}

function environment(): NodeJS.ProcessEnv {
  const env = withoutRunner();
  return {
    ...env,
    PATH: [join(FOLDER, "bin"), dirname(process.execPath), env.PATH].join(delimiter),
  };
}

async function freePort(): Promise<number> {
  const socket = createSocket();
  await new Promise<void>((resolve) => socket.listen(0, "127.0.0.1", resolve));
  const { port } = socket.address() as AddressInfo;
  await new Promise((resolve) => socket.close(resolve));
  return port;
}

describe("the recipes in the testing guide", () => {
  test("for Python pass with it", { ...needs("python"), timeout: 240_000 }, async () => {
    const { stderr } = await exec(pathOf("python"), ["-W", "error", "-m", "unittest", "-v", "test_accounts"], {
      cwd: FOLDER,
      env: environment(),
    });
    expect(stderr).toMatch(/Ran 2 tests in .*\n\nOK\n$/);
  });

  test("for Playwright pass in Chromium", { ...needs("chromium"), timeout: 240_000 }, async () => {
    writeFileSync(
      join(FOLDER, "here.config.ts"),
      `import config from "./playwright.config.ts";
const launchOptions = { executablePath: ${JSON.stringify(pathOf("chromium"))}, args: ["--no-sandbox", "--no-proxy-server"] };
export default { ...config, testMatch: "*.spec.ts", outputDir: "test-results", use: { ...config.use, launchOptions } };\n`,
    );
    const cli = join(root, "node_modules/@playwright/test/cli.js");
    const { stdout } = await exec(process.execPath, [cli, "test", "-c", "here.config.ts", "--reporter=json"], {
      cwd: FOLDER,
      env: environment(),
    });
    const { stats } = JSON.parse(stdout) as { stats: { expected: number; unexpected: number; skipped: number } };
    expect(stats).toMatchObject({ expected: 2, unexpected: 0, skipped: 0 });
  });

  test("for Storybook prepare each story in Chromium", { ...needs("chromium"), timeout: 240_000 }, async () => {
    writeFileSync(join(FOLDER, "stories.ts"), STORIES);
    const aliases = { ...entryPoints, ...internalImports("default") };
    const { outputFiles } = await build({
      entryPoints: [join(FOLDER, "stories.ts")],
      alias: Object.fromEntries(Object.entries(aliases).map(([name, file]) => [name, join(root, file)])),
      bundle: true,
      format: "esm",
      platform: "browser",
      write: false,
    });
    const files: Record<string, string> = {
      "/": '<!doctype html><script type="module" src="/stories.js"></script>',
      "/stories.js": outputFiles[0]?.text ?? "",
      "/mockServiceWorker.js": readFileSync(join(root, "node_modules/msw/lib/mockServiceWorker.js"), "utf8"),
    };
    const server = createServer((request, response) => {
      const text = files[request.url ?? ""];
      const type = request.url?.endsWith(".js") ? "text/javascript" : "text/html";
      response.writeHead(text === undefined ? 404 : 200, { "content-type": type }).end(text);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const browser = await Chromium.launch();
    try {
      const page = await browser.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      expect(await page.result()).toEqual({ failing: 503, plain: 200, accounts: 25 });
    } finally {
      await browser.close();
      server.closeAllConnections();
      server.close();
    }
  });
});

// Imitates Storybook, which runs beforeAll once and beforeEach before every story.
const STORIES = `import preview from "./preview.ts";
async function story(parameters) {
  preview.beforeEach({ parameters });
  return fetch("https://school.example/api/v1/accounts?per_page=100", { headers: { authorization: "Bearer key" } });
}
try {
  await preview.beforeAll();
  const failing = (await story({ sandbox: (sandbox) => sandbox.faults.next({ status: 503, times: 9 }) })).status;
  const answer = await story({});
  globalThis.result = { failing, plain: answer.status, accounts: (await answer.json()).length };
} catch (error) {
  globalThis.result = { error: String(error.stack) };
}
`;
