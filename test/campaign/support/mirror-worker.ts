// The program that gets killed: it mirrors one list into an SQLite file, and continues after a restart.

import { argv } from "node:process";
import { DatabaseSync } from "node:sqlite";
import { MainClient } from "education-admin-sdk";
import { mirror, sqlite } from "education-admin-sdk/mirror";

const [, , baseUrl = "", file = ""] = argv;
const client = new MainClient({ baseUrl, apiKey: "token-of-the-mirror-campaign" });
const copy = mirror(client, sqlite(new DatabaseSync(file)), { resources: ["accounts"], share: 1 });
const { complete } = await copy.sync();
if (!complete) process.exitCode = 1;
