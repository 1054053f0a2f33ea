import { MainClient } from "education-admin-sdk";
import { createSandbox } from "education-admin-sdk/sandbox";

const sandbox = createSandbox();
const client = new MainClient(sandbox);
sandbox.faults.next({ status: 503 });
const accounts = await client.accounts.list().toArray({ max: 1000 });
console.log(JSON.stringify({ accounts: accounts.length, requests: sandbox.requests.length }));
