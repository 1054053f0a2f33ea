// A route handler that the test bundles as server frameworks do: with all dependencies and the server's conditions.
import { smoke } from "../smoke.mjs";

export async function GET(request) {
  const { searchParams } = new URL(request.url);
  const steps = await smoke({ baseUrl: searchParams.get("baseUrl"), apiKey: searchParams.get("apiKey") });
  return Response.json({ steps });
}
