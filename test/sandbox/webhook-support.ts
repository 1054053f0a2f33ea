import { MainClient } from "../../src/index.js";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../src/sandbox/index.js";
import type { WebhookEvent } from "../../src/webhooks/index.js";

/** The URL to which the tests' webhooks send deliveries. */
export const URL_A = "https://a.example.org/hooks";
/** A second URL. */
export const URL_B = "https://b.example.org/hooks";

const NOW = "2030-06-01T12:00:00.000Z";

/** A delivery to a URL. */
export interface Posted {
  readonly url: string;
  readonly headers: Headers;
  readonly text: string;
  readonly body: WebhookEvent;
}

/** A sandbox, and the deliveries that it has sent to URLs. */
export interface DeliveringSandbox {
  readonly sandbox: Sandbox;
  readonly client: MainClient;
  readonly posted: Posted[];
  /** The URL, event and record of each delivery. */
  events(): string[];
}

/** Creates a sandbox that records its deliveries to URLs and responds to them with `answer`. */
export function deliveringSandbox(
  answer: (request: Request, count: number) => Response = () => new Response(),
  options: SandboxOptions = {},
): DeliveringSandbox {
  const posted: Posted[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    const text = await request.clone().text();
    posted.push({ url: request.url, headers: request.headers, text, body: JSON.parse(text) as WebhookEvent });
    return answer(request, posted.length);
  };
  const sandbox = createSandbox({ size: 20, now: NOW, ...options, webhooks: { fetch, ...options.webhooks } });
  const client = new MainClient({ ...sandbox.main, validation: "strict" });
  const events = () => posted.map(({ url, body }) => `${url} ${body.event} ${body.event_data.id}`);
  return { sandbox, client, posted, events };
}
