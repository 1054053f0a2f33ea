import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, it } from "vitest";

const entry = fileURLToPath(new URL("../../src/webhooks/index.ts", import.meta.url));

async function bundle(contents: string): Promise<{ inputs: string[]; bytes: number }> {
  const { metafile, outputFiles } = await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL(".", import.meta.url)), loader: "ts" },
    bundle: true,
    minify: true,
    metafile: true,
    write: false,
    format: "esm",
    // A neutral platform: an import of a `node:` module would fail here, as in a browser or a Worker.
    platform: "neutral",
    mainFields: ["module", "main"],
  });
  return { inputs: Object.keys(metafile.inputs), bytes: outputFiles[0]!.contents.length };
}

it("imports neither client nor schemas nor node: modules", async () => {
  const { inputs, bytes } = await bundle(`export * from ${JSON.stringify(entry)};`);
  // The names of events are plain text, so the entry may share them with the resource.
  expect(
    inputs.filter((path) => /node_modules|src\/(?:clients|resources|models|organization|sandbox)\//.test(path)),
  ).toEqual(["src/models/webhook-event-names.ts"]);
  expect(
    inputs
      .filter((path) => path.includes("src/core/"))
      .map((path) => path.split("/").at(-1))
      .sort(),
  ).toEqual([
    "abort.ts",
    "bounded-body.ts",
    "clock.ts",
    "copy.ts",
    "errors.ts",
    "events.ts",
    "json.ts",
    "nearest-name.ts",
    "option-checks.ts",
    "request.ts",
    "secret.ts",
    "time.ts",
  ]);
  console.log(JSON.stringify({ size: "webhooks entry, minified", bytes }));
  expect(bytes).toBeLessThan(51_500);
});

it("excludes the code for subscribing and recovering", async () => {
  const { bytes } = await bundle(`export { createWebhookHandler } from ${JSON.stringify(entry)};`);
  console.log(JSON.stringify({ size: "webhook receiver, minified", bytes }));
  expect(bytes).toBeLessThan(40_000);
});

it("has no side effects: a bundle with an unused import contains nothing of it", async () => {
  const { bytes } = await bundle(`import { verifyWebhook } from ${JSON.stringify(entry)};`);
  expect(bytes).toBeLessThan(10);
});
