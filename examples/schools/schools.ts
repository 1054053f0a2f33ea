import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { createSchools, SchoolError } from "education-admin-sdk/schools";
import { rateLimitStore, sqliteTokens } from "education-admin-sdk/stores/sqlite";

if (process.argv.includes("--help")) {
  console.log(`node schools.ts: connects schools to one application and shows how many accounts each has.

CLIENT_ID, CLIENT_SECRET   the application, as registered with ORIGIN/callback
ORIGIN                     the address of this program, as browsers see it
SCHOOLS                    the addresses that may be connected, separated by commas: each gets the secret
ENCRYPTION_KEY             openssl rand -base64 32
DATABASE                   the SQLite file that all processes share (default: schools.sqlite)
PORT                       default: 3000`);
  process.exit();
}

const { CLIENT_ID = "", CLIENT_SECRET = "", ORIGIN = "", SCHOOLS = "", ENCRYPTION_KEY = "" } = process.env;
const needed = { CLIENT_ID, CLIENT_SECRET, ORIGIN, SCHOOLS, ENCRYPTION_KEY };
const unset = Object.entries(needed).flatMap(([name, value]) => (value === "" ? [name] : []));
if (unset.length > 0) {
  console.error(`Set ${unset.join(", ")}: node schools.ts --help says to what`);
  process.exit(1);
}
const { DATABASE = "schools.sqlite", PORT = "3000" } = process.env;
const allowed = SCHOOLS.split(",");

// A connection each: on a shared one, a ROLLBACK of one store would undo what the other wrote.
const schools = createSchools({
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  hosts: allowed.map((school) => new URL(school).host),
  redirectUri: `${ORIGIN}/callback`,
  tokens: sqliteTokens(new DatabaseSync(DATABASE), { encryptionKey: ENCRYPTION_KEY }),
  rateLimit: { store: rateLimitStore(new DatabaseSync(DATABASE), { application: CLIENT_ID }) },
  on: {
    reconnectNeeded: ({ school }) => console.log(`${school} must be connected anew`),
    skipped: ({ school, error }) => console.error(`${school} was left out`, error),
  },
});

async function answer(url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (url.pathname === "/connect") {
    const school = url.searchParams.get("school") ?? "";
    if (!allowed.includes(school)) return void response.writeHead(403).end("This school is not ours\n");
    const state = randomUUID();
    // The browser that comes back must be the one that went away.
    const cookie = `state=${state}; HttpOnly; SameSite=Lax; Max-Age=600; Path=/callback`;
    const location = await schools.authorizeUrl(school, { state });
    return void response.writeHead(303, { location, "set-cookie": cookie }).end();
  }
  if (url.pathname === "/callback") {
    const state = /(?:^|; )state=([^;]*)/.exec(request.headers.cookie ?? "")?.[1] ?? "";
    await schools.connect(url, { state });
    return void response.writeHead(303, { location: "/" }).end();
  }
  const lines: string[] = [];
  for await (const { school, client } of schools.all()) {
    const { length } = await client.accounts.list().toArray({ max: 10_000 });
    lines.push(`${school}: ${length} accounts\n`);
  }
  response.end(lines.join("") || "No school is connected\n");
}

createServer((request, response) => {
  answer(new URL(request.url ?? "/", ORIGIN), request, response).catch((error: unknown) => {
    const isRefused = error instanceof SchoolError && error.reason === "callback";
    response.writeHead(isRefused ? 400 : 500).end(`${error instanceof Error ? error.message : error}\n`);
  });
}).listen(Number(PORT), "127.0.0.1", () => console.log(`Listening on port ${PORT}`));
