import { MainClient } from "education-admin-sdk";

const [code = ""] = process.argv.slice(2);
const client = new MainClient();
const course = await client.courses.lookup("code").get(code);
console.log(JSON.stringify(course && { code: course.code, cost: course.cost }));
