import { DatabaseSync } from "node:sqlite";
import { MainClient } from "education-admin-sdk";
import { mirror, sqlite } from "education-admin-sdk/mirror";

const client = new MainClient();
const database = new DatabaseSync("copy.db");
const copy = mirror(client, sqlite(database), { resources: ["courses", "plannedCourses"] });
const { complete } = await copy.sync();
if (!complete) process.exitCode = 1;
const count = (view: string) => database.prepare(`SELECT count(*) AS rows FROM ${view}`).get()?.rows;
console.log(JSON.stringify({ courses: count("current_courses"), plannedCourses: count("current_planned_courses") }));
