import { MainClient } from "education-admin-sdk";

const [slug = "", value = ""] = process.argv.slice(2);
const client = new MainClient();
for await (const { slug, title } of client.signupQuestions.list({ for_type: "user" })) {
  console.log(JSON.stringify({ slug, title }));
}
await client.users.update(7, { custom: { [slug]: value } });
