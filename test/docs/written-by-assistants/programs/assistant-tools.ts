import { MainClient } from "education-admin-sdk";
import { assistantTools } from "education-admin-sdk/assistant";

const tools = assistantTools(new MainClient());
console.log(JSON.stringify(tools.map(({ name }) => name)));
const read = tools.find(({ name }) => name === "read");
console.log(JSON.stringify(await read?.execute({ from: "users", limit: 2 })));
