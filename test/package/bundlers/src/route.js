// A route handler as server frameworks bundle it: with every dependency inside and the server's conditions.
import { smoke } from "../smoke.mjs";

export async function GET(request) {
  const { searchParams } = new URL(request.url);
  const steps = await smoke({ baseUrl: searchParams.get("baseUrl"), apiKey: searchParams.get("apiKey") });
  return Response.json({ steps });
}
