// A Worker that creates everything at module level that it can create there: at that level it must not wait or use
// random numbers.
import { MainClient } from "education-admin-sdk";
import { createSandbox } from "education-admin-sdk/sandbox";
import * as postgres from "education-admin-sdk/stores/postgres";
import * as redis from "education-admin-sdk/stores/redis";
import { deliver, handledSoFar } from "./receiver.mjs";
import { smoke } from "./smoke.mjs";

const refuseToSend = () => Promise.reject(new Error("nothing may be sent at module level"));
const stores = [
  redis.rateLimitStore({ eval: refuseToSend, sendCommand: refuseToSend }),
  postgres.rateLimitStore({ query: refuseToSend }),
  postgres.webhookInbox({ query: refuseToSend }),
];
const ofSandbox = new MainClient(createSandbox({ size: "small" }));

let shared;

// Half of the visitors end with an error while another of their calls runs. workerd then never continues the code of
// that call.
async function visit(searchParams) {
  shared ??= new MainClient({
    baseUrl: searchParams.get("baseUrl"),
    apiKey: "visitors",
    on: { drift() {}, wait() {} },
  });
  try {
    if (searchParams.get("leaves")) await Promise.all([shared.accounts.get(404), shared.accounts.get(1)]);
    else await shared.accounts.get(2);
    return new Response("answered");
  } catch (error) {
    return new Response(error.name, { status: 500 });
  }
}

// biome-ignore lint/style/noDefaultExport: a Worker is its default export.
export default {
  async fetch(request, _bindings, context) {
    const { searchParams, pathname } = new URL(request.url);
    if (pathname === "/deliver") return deliver(Number(searchParams.get("id")), context);
    if (pathname === "/handled") return handledSoFar();
    if (pathname === "/visit") return visit(searchParams);
    try {
      if (stores.length !== 3 || (await ofSandbox.accounts.get(7)).id !== 7) throw new Error("no account 7");
      const steps = await smoke({ baseUrl: searchParams.get("baseUrl"), apiKey: searchParams.get("apiKey") });
      return Response.json({ steps });
    } catch (error) {
      return new Response(String(error.stack ?? error), { status: 500 });
    }
  },
};
