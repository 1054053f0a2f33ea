// A Worker: everything happens inside a request.
import { deliver, handledSoFar } from "./receiver.mjs";
import { smoke } from "./smoke.mjs";

// biome-ignore lint/style/noDefaultExport: a Worker is its default export.
export default {
  async fetch(request, _bindings, context) {
    const { searchParams, pathname } = new URL(request.url);
    if (pathname === "/deliver") return deliver(Number(searchParams.get("id")), context);
    if (pathname === "/handled") return handledSoFar();
    try {
      const steps = await smoke({ baseUrl: searchParams.get("baseUrl"), apiKey: searchParams.get("apiKey") });
      return Response.json({ steps });
    } catch (error) {
      return new Response(String(error.stack ?? error), { status: 500 });
    }
  },
};
