import { dirname } from "node:path";

// biome-ignore lint/style/noDefaultExport: Next takes its configuration so.
export default {
  cacheComponents: true,
  partialPrefetching: true,
  // The installed packages are beside this folder.
  turbopack: { root: dirname(import.meta.dirname) },
};
