import { MainClient } from "education-admin-sdk";
import { doctor } from "education-admin-sdk/doctor";

const { findings } = await doctor(new MainClient());
for (const { check, status } of findings) console.log(JSON.stringify({ check, status }));
if (findings.some(({ status }) => status === "differs")) process.exitCode = 1;
