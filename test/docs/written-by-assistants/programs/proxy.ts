import { createServer } from "node:http";
import { MainClient } from "education-admin-sdk";
import { createProxyHandler, toNodeHandler } from "education-admin-sdk/proxy";

const handler = createProxyHandler(new MainClient(), {
  allow: ["courses.list", "courses.get", "plannedCourses.list", "plannedCourses.get"],
  cors: { origins: ["https://www.academy.example"] },
});
const node = toNodeHandler(handler);
createServer((request, response) => {
  if (request.url?.startsWith("/education/")) node(request, response);
  else response.writeHead(404).end();
}).listen(Number(process.env.PORT), () => console.log("ready"));
