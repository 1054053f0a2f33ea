import { type Case, clientOf, MILLION } from "./hostile-case.ts";

/** Headers that are longer than Node's client accepts, but that a `fetch` passed by the caller may return. */
export function headers(): Case[] {
  const answering = (headers: Record<string, string>, status = 200, text = "[]") =>
    clientOf(
      "https://school.example",
      async () => new Response(text, { status, headers: { "content-type": "application/json", ...headers } }),
    );
  const first = (link: string) =>
    answering({ link })
      .courseVariants.list({})
      .then(({ records, hasNext }) => ({ records, hasNext }));
  const link = (name: string, text: string, hasNext: boolean, limits: { ms?: number; mb?: number } = {}): Case => ({
    name: `link: ${name}`,
    end: "data",
    ...limits,
    act: () => first(text),
    inspect: (found) => ((found as { hasNext: boolean }).hasNext === hasNext ? null : `hasNext is not ${hasNext}`),
  });
  const fill = (text: string) => text.repeat(Math.ceil(MILLION / text.length)).slice(0, MILLION);
  const record = JSON.stringify({ errors: {}, code: 422, message: "no" });
  const error = (name: string, headers: Record<string, string>, status: number): Case => ({
    name,
    end: status === 429 ? "rate_limited" : "api",
    act: () => answering(headers, status, record).courseVariants.get(1),
  });
  return [
    // The header is cut off or names no relation, so there may be more pages.
    link("openings", fill("<"), true),
    link("empty targets", fill("<>"), true),
    link("empty links", fill("<>,").slice(0, -1), true),
    link("parameters", `<x>${fill(";a=b")}`, true),
    link("open quotes", fill('<x>;a="'), true),
    link("escapes", `<x>; rel="${fill("\\")}`, true),
    link("blanks", `<x?cursor=1>;${fill(" ")}rel=next`, true),
    link("blanks in quotes", `<x?cursor=1>; rel="${fill(" \t")}next"`, true),
    link("relations", `<x?cursor=1>; rel="${fill("a ")} next"`, true),
    link("commas", `${fill(",")}<x?cursor=1>; rel=next`, true),
    link("previous pages", `${fill("<x>; rel=prev, ")}`.replace(/,[^,]*$/, ', <x?cursor=1>; rel="next"'), true),
    link("long cursor", `<x?cursor=${fill("a")}>; rel=next`, true),
    link("many parameters", `<x?${fill("a=1&")}cursor=1>; rel=next`, true, { ms: 2_000, mb: 120 }),
    link("percent signs", `<x?cursor=${fill("%")}>; rel=next`, true),
    link("dots", `<${fill("../")}?cursor=1>; rel=next`, true),
    {
      name: "link: long cursors, five pages",
      end: "data",
      act: () => {
        let page = 0;
        const client = clientOf("https://school.example", async () =>
          Response.json([], { headers: { link: `<x?cursor=${page++}${fill("a")}>; rel=next` } }),
        );
        return client.courseVariants.list({}, { maxPages: 5 }).toArray();
      },
    },
    error("request id of a million characters", { "x-request-id": fill("a") }, 422),
    error("retry-after of a million digits", { "retry-after": fill("9") }, 429),
    error("retry-after of a million blanks", { "retry-after": `1${fill(" ")}1` }, 429),
    {
      name: "content type of a million characters",
      end: "response_format",
      act: () => answering({ "content-type": fill("a/") }, 200, "no").courseVariants.get(1),
    },
    {
      name: "content type of a million slashes and pluses",
      end: "response_format",
      act: () => answering({ "content-type": `x/${fill("+")}` }, 200, "no").courseVariants.get(1),
    },
  ];
}
