// Cloudflare Workers: a process stops after its response, so a delivery goes to a queue, whose consumer handles it.
import { createWebhookHandler, type WebhookDelivery } from "education-admin-sdk/webhooks";

interface Bindings {
  readonly WEBHOOK_SECRET: string;
  readonly EVENTS: { send(delivery: WebhookDelivery): Promise<unknown> };
}

interface Message {
  readonly body: WebhookDelivery;
  readonly attempts: number;
  ack(): void;
  retry(): void;
}

let bindings: Bindings | undefined;
const handler = createWebhookHandler({
  signature: { secrets: () => bindings?.WEBHOOK_SECRET.split(",") },
  store: {
    async put(delivery) {
      if (!bindings) throw new Error("The Worker has no bindings yet");
      await bindings.EVENTS.send(delivery);
      return "stored";
    },
  },
  onEvent: (event) => console.log(event.event),
});

// biome-ignore lint/style/noDefaultExport: the platform reads the default export.
export default {
  fetch(request: Request, env: Bindings): Promise<Response> {
    bindings = env;
    return handler(request);
  },
  async queue(batch: { readonly messages: readonly Message[] }): Promise<void> {
    for (const message of batch.messages) {
      await handler.process(message.body, message.attempts).then(
        () => message.ack(),
        () => message.retry(),
      );
    }
  },
};
