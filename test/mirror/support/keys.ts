import type { Sandbox } from "../../../src/sandbox/index.js";

/**
 * Hides some records from some keys: lists leave these records out, and reading one, or anything below it, returns 404.
 */
export function hiding(fetch: Sandbox["fetch"], isHidden: (apiKey: string, id: number) => boolean): Sandbox["fetch"] {
  return async (input, init) => {
    const apiKey = new Headers(init?.headers).get("authorization")?.replace("Bearer ", "") ?? "";
    const isHiddenId = (id: unknown) => Number.isInteger(Number(id)) && isHidden(apiKey, Number(id));
    if (new URL(String(input)).pathname.split("/").some((part) => part !== "" && isHiddenId(part))) {
      return Response.json({ message: "Not found" }, { status: 404 });
    }
    const response = await fetch(input, init);
    if (!response.ok) return response;
    const body = (await response.json()) as unknown;
    const visible = Array.isArray(body) ? body.filter(({ id }: { id?: unknown }) => !isHiddenId(id)) : body;
    const headers = new Headers(response.headers);
    headers.delete("content-length");
    return new Response(JSON.stringify(visible), { status: response.status, headers });
  };
}
