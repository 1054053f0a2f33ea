// Bundles one entry for a browser and prints its size and the files in it.
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const sources = JSON.parse(process.argv[2]);
const results = [];
for (const contents of sources) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    metafile: true,
    write: false,
  });
  const [output] = Object.values(metafile.outputs);
  results.push({
    code: outputFiles[0].text,
    bytes: outputFiles[0].contents.length,
    gzip: gzipSync(outputFiles[0].contents).length,
    files: Object.entries(output.inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([name]) => name),
  });
}
console.log(JSON.stringify(results));
