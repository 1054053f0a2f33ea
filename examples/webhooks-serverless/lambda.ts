// AWS Lambda behind a function URL: listeners run before the response, because the process is frozen after it.
import { createWebhookHandler } from "education-admin-sdk/webhooks";

const handler = createWebhookHandler({
  signature: { secrets: () => process.env.WEBHOOK_SECRET?.split(",") },
  mode: "handle-then-answer",
  onEvent: (event) => console.log(event.event),
});

interface UrlRequest {
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly isBase64Encoded: boolean;
  readonly requestContext: { readonly http: { readonly method: string } };
}

export async function lambda({ headers, body = "", isBase64Encoded, requestContext: { http } }: UrlRequest) {
  const bytes = Buffer.from(body, isBase64Encoded ? "base64" : "utf8");
  const hasBody = http.method !== "GET" && http.method !== "HEAD";
  const request = new Request("https://lambda.invalid/", {
    method: http.method,
    headers,
    ...(hasBody && { body: bytes }),
  });
  const answer = await handler(request);
  return { statusCode: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
}
