import { rolldown } from "rolldown";

const [entry, outdir] = process.argv.slice(2);
const bundle = await rolldown({
  input: { page: entry },
  platform: "browser",
  onwarn(warning) {
    // Warnings caused by other packages do not count.
    const files = [warning.id, ...(warning.ids ?? [])].join();
    if (/education-admin-sdk\/dist|src\/page/.test(files)) throw new Error(warning.message.slice(0, 500));
  },
});
await bundle.write({ dir: outdir, format: "es", minify: true });
await bundle.close();
