// A Worker: everything happens inside a request.
import { smoke } from "./smoke.mjs";

// biome-ignore lint/style/noDefaultExport: a Worker is its default export.
export default {
  async fetch(request) {
    const { searchParams } = new URL(request.url);
    try {
      const steps = await smoke({ baseUrl: searchParams.get("baseUrl"), apiKey: searchParams.get("apiKey") });
      return Response.json({ steps });
    } catch (error) {
      return new Response(String(error.stack ?? error), { status: 500 });
    }
  },
};
