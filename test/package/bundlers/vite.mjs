import { build } from "vite";

const [outdir] = process.argv.slice(2);
await build({ root: import.meta.dirname, configFile: false, logLevel: "warn", build: { outDir: outdir } });
