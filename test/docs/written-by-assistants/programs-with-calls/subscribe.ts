import { MainClient } from "education-admin-sdk";
import { ensureWebhook } from "education-admin-sdk/webhooks";

const client = new MainClient();
const { id } = await ensureWebhook(client, { url: "https://hooks.example/school", events: ["enrollment.*"] });
console.log(JSON.stringify({ id }));
