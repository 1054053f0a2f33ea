import { type Browser, chromium, type Page } from "playwright-core";
import { pathOf } from "../../test/support/tools.ts";

export interface Observed {
  readonly page: Page;
  /** Every securitypolicyviolation event of the page. */
  violations(): Promise<string[]>;
  /**
   * Waits for the page's globalThis.result.
   * @throws Error if the page set an `error` there, or if no result arrives in time.
   */
  result<T>(): Promise<T>;
  close(): Promise<void>;
}

/** The system's Chromium. */
export class Chromium {
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** @throws Error if no Chromium is installed: rows for browsers are never skipped. */
  static async launch(): Promise<Chromium> {
    const quiet = ["--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
    const args = ["--no-sandbox", "--headless", "--disable-gpu", "--disable-quic", "--no-proxy-server", ...quiet];
    return new Chromium(await chromium.launch({ executablePath: pathOf("chromium"), args }));
  }

  get version(): string {
    return this.#browser.version();
  }

  /** Opens a page in a new browser context. */
  async open(url: string, viewport = { width: 1100, height: 800 }): Promise<Observed> {
    const context = await this.#browser.newContext({ viewport });
    const page = await context.newPage();
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error.stack ?? error)));
    await page.addInitScript(() => {
      const seen: string[] = [];
      Object.assign(globalThis, { violations: seen });
      document.addEventListener("securitypolicyviolation", (event) => {
        seen.push(`${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
      });
    });
    await page.goto(url);
    return {
      page,
      violations: () => page.evaluate(() => (globalThis as unknown as { violations: string[] }).violations),
      async result<T>() {
        for (let waited = 0; waited < 30_000; waited += 50) {
          const result = await page.evaluate(() => (globalThis as { result?: unknown }).result);
          if (errors.length > 0) throw new Error(errors.join("\n"));
          if (result !== undefined) {
            const { error } = result as { error?: string };
            if (error !== undefined) throw new Error(error);
            return result as T;
          }
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
        throw new Error(`${url}: no result within 30 s`);
      },
      close: () => context.close(),
    };
  }

  close(): Promise<void> {
    return this.#browser.close();
  }
}
