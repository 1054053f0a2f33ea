// 200 kinds of responses that no honest service sends, over real sockets. Node, Bun and the tests run this file
// unchanged.
import { createServer } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";

const TOKEN = "hostile-token-0123456789";
const RECORD = '{"id":7,"name":"A"}';

const head = (status, ...lines) => `HTTP/1.1 ${status} X\r\n${lines.map((line) => `${line}\r\n`).join("")}\r\n`;
const json = "content-type: application/json";
const whole = (body, ...lines) =>
  Buffer.concat([Buffer.from(head(200, json, `content-length: ${body.length}`, ...lines)), Buffer.from(body)]);
const chunk = (body) => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`;
const CHUNKED = "transfer-encoding: chunked";

/** The server's behaviors, each a name and a function that runs after each request on a connection. */
function answers() {
  const kinds = [];
  const add = (name, then) => kinds.push([name, then]);
  const send = (name, ...parts) =>
    add(name, (socket) => {
      for (const part of parts) socket.write(part);
    });
  const ends = {
    stays: () => undefined,
    ends: (socket) => socket.end(),
    resets: (socket) => socket.resetAndDestroy?.() ?? socket.destroy(),
  };

  // Wrong, nested, unknown, empty and too many encodings, combined with what then happens to the connection.
  const bodies = {
    plain: Buffer.from(RECORD),
    gzip: gzipSync(RECORD),
    deflate: deflateSync(RECORD),
    br: brotliCompressSync(RECORD),
  };
  for (const encoding of [
    "gzip",
    "deflate",
    "br",
    "zstd",
    "nonsense",
    "",
    "gzip, gzip",
    "br, gzip",
    Array(6).fill("gzip").join(", "),
    Array(200).fill("gzip").join(","),
  ]) {
    for (const [what, body] of Object.entries(bodies))
      send(`${what} that says "${encoding.slice(0, 20)}"`, whole(body, `content-encoding: ${encoding}`));
    for (const [how, end] of Object.entries(ends)) {
      add(`"${encoding.slice(0, 20)}" whose body ${how}`, (socket) => {
        socket.write(head(200, json, `content-encoding: ${encoding}`, "content-length: 100000"));
        socket.write(gzipSync(RECORD).subarray(0, 12), () => setImmediate(end, socket));
      });
    }
  }
  send("a bomb", whole(gzipSync(Buffer.alloc(200_000_000)), "content-encoding: gzip"));
  send("a bomb in a bomb", whole(gzipSync(gzipSync(Buffer.alloc(100_000_000))), "content-encoding: gzip, gzip"));
  // Informational responses.
  for (const status of [100, 102, 103, 199]) {
    send(`${status} before the answer`, head(status), whole(RECORD));
    send(`a hundred times ${status}`, head(status).repeat(100), whole(RECORD));
    send(`${status} alone`, head(status));
  }
  send("101", head(101, "upgrade: x", "connection: upgrade"));
  // Chunks and trailers.
  for (const lie of [
    "zz\r\nhello",
    "5\r\nhi",
    "-1\r\n\r\n",
    "ffffffffffffffffff\r\n",
    "5;x=\u0001\r\nhello\r\n",
    "0\r\nauthorization: x\r\n\r\n",
    "5\nhello\n0\n\n",
    `${chunk(RECORD)}0\r\nx-request-id: t\r\n\r\n`,
    `${chunk(RECORD)}0\r\n${"t: x\r\n".repeat(5000)}\r\n`,
    chunk(RECORD),
    "",
  ]) {
    for (const [how, end] of Object.entries(ends)) {
      add(`chunks "${JSON.stringify(lie.slice(0, 12))}", ${how}`, (socket) =>
        socket.write(head(200, json, CHUNKED) + lie, () => setImmediate(end, socket)),
      );
    }
  }
  // Wrong lengths.
  for (const length of ["0", "1", "-1", "99", "1e3", "18446744073709551616", "abc", "19, 20", ""]) {
    add(`length "${length}", ends`, (socket) => socket.end(head(200, json, `content-length: ${length}`) + RECORD));
    send(`length "${length}", stays`, head(200, json, `content-length: ${length}`) + RECORD);
  }
  send("two lengths", head(200, json, "content-length: 19", "content-length: 5") + RECORD);
  send("a length and chunks", head(200, json, "content-length: 5", CHUNKED), `${chunk(RECORD)}0\r\n\r\n`);
  // Heads.
  for (const size of [8_000, 16_000, 60_000, 300_000]) {
    send(`a header of ${size}`, whole(RECORD, `x-large: ${"x".repeat(size)}`));
    send(
      `headers of ${size}`,
      whole(RECORD, ...Array.from({ length: size / 100 }, (_, at) => `x-${at}: ${"x".repeat(90)}`)),
    );
    send(`a header of ${size} that never ends`, `HTTP/1.1 200 OK\r\nx-large: ${"x".repeat(size)}`);
  }
  for (const [name, text] of Object.entries({
    nothing: "",
    garbage: "\u0000\u0001\u0002",
    "HTTP/0.9": RECORD,
    "HTTP/9.9": "HTTP/9.9 200 OK\r\n\r\n",
    "no status": "HTTP/1.1 OK\r\n\r\n",
    "status 99999": "HTTP/1.1 99999 X\r\n\r\n",
    "status 999": head(999, "content-length: 0"),
    "status 0": head("000", "content-length: 0"),
    "a header with NUL": head(200, "x: \u0000y"),
    "a folded header": head(200, "x: a\r\n b"),
    "no colon": head(200, "nonsense"),
    "a TLS hello": "\u0016\u0003\u0001\u0002",
  })) {
    for (const [how, end] of Object.entries(ends))
      add(`${name}, ${how}`, (socket) => socket.write(`${text}\n`, () => setImmediate(end, socket)));
  }
  for (const [how, end] of Object.entries(ends)) if (how !== "stays") add(`no byte, ${how}`, (socket) => end(socket));
  // Redirects.
  for (const to of [
    "http://127.0.0.1:1/",
    "https://elsewhere.example/",
    "file:///etc/passwd",
    "data:application/json,[]",
    "javascript:1",
    "ftp://x.example/",
    "//elsewhere.example/api",
    "ws://127.0.0.1/",
    "http://user:pass@127.0.0.1/",
    "http://[::1",
    "\u0000",
    "",
    "/api/v1/accounts/7",
    "blob:x",
    "x".repeat(50_000),
  ]) {
    for (const status of [301, 307])
      send(`${status} to ${JSON.stringify(to).slice(0, 30)}`, head(status, `location: ${to}`, "content-length: 0"));
  }
  // Bodies.
  for (const [name, body] of Object.entries({
    html: "<html>login</html>",
    "half of JSON": '{"id":7,"na',
    "a lone quote": '"',
    null: "null",
    "NUL bytes": "\u0000".repeat(100),
    "deep arrays": "[".repeat(200_000),
    "deep and whole": "[".repeat(50_000) + "]".repeat(50_000),
    "a long number": "1".repeat(500_000),
    __proto__: '{"__proto__":{"id":1},"constructor":7,"toString":1,"id":7}',
    "nulls in a list": "[null,null]",
    "a BOM": `\ufeff${RECORD}`,
    token: JSON.stringify({ errors: {}, code: 422, message: TOKEN }),
  })) {
    send(`${name} as JSON`, whole(body));
    send(`${name} as an error`, head(422, json, `content-length: ${Buffer.byteLength(body)}`) + body);
  }
  send("a token in each header", whole(RECORD, `x-request-id: ${TOKEN}`, `x-other: ${TOKEN}`));
  add("a body without end", (socket) => {
    socket.write(head(200, json, CHUNKED));
    const more = () => socket.writable && socket.write(chunk(" ".repeat(1000))) && setTimeout(more, 5).unref();
    more();
  });
  return kinds;
}

/**
 * Sends each call of a client to each response.
 * @param MainClient the class from the package or from its sources.
 * @param every 1 for all kinds, 8 for every eighth.
 * @returns the number of kinds, and the problems found.
 */
export async function hostileAnswers(MainClient, every = 1) {
  const wrong = [];
  let current = "";
  const uncaught = (error) => wrong.push(`${current}: uncaught ${error?.stack ?? error}`);
  process.on("uncaughtException", uncaught);
  process.on("unhandledRejection", uncaught);
  const kinds = answers().filter((_, at) => at % every === 0);
  const printed = [];
  const methods = ["log", "warn", "error", "info", "debug"].map((name) => [name, console[name]]);
  for (const [name] of methods) console[name] = (...parts) => void printed.push(parts.join(" "));
  try {
    for (const [name, then] of kinds) {
      current = name;
      const sockets = new Set();
      const all = new Set();
      const server = createServer((socket) => {
        all.add(socket);
        // A connection without a request does not count: the platform has opened it in reserve.
        socket.once("data", () => sockets.add(socket));
        socket.on("error", () => undefined);
        socket.once("close", () => sockets.delete(socket));
        // Sends this response to every request.
        socket.on("data", () => socket.writable && then(socket));
      });
      await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
      const timers = new Set();
      // Counts the library's open timers. A timeout comes after everything that the platform still has to do.
      const clock = {
        now: () => Date.now(),
        setTimeout(callback, ms) {
          const timer = setTimeout(() => {
            timers.delete(timer);
            callback();
          }, ms);
          timers.add(timer);
          return timer;
        },
        clearTimeout(timer) {
          timers.delete(timer);
          clearTimeout(timer);
        },
      };
      const seen = [];
      const note = (event) => void seen.push(JSON.stringify(event));
      const on = { response: note, failure: note, retry: note, drift: note, wait: note };
      const options = { baseUrl: `http://127.0.0.1:${server.address().port}`, apiKey: TOKEN, clock, on };
      const client = new MainClient({ ...options, timeout: 150, retry: false, rateLimit: false });
      const calls = [
        client.accounts.get(7),
        client.accounts.list().first(),
        client.accounts.update(7, { name: "Not to be shown" }),
      ];
      // Every call must end; if one hangs, so does the test, and its last line names the kind.
      const ended = await Promise.allSettled(calls);
      for (const { reason } of ended) {
        if (reason === undefined) continue;
        if (typeof reason?.toJSON !== "function") wrong.push(`${name}: ${reason?.stack ?? reason}`);
        const { body, errors, apiMessage, headers, ...shown } = reason;
        seen.push(String(reason?.stack), JSON.stringify(reason), String(reason?.cause?.stack), JSON.stringify(shown));
      }
      if (seen.some((text) => text.includes(TOKEN))) wrong.push(`${name}: shows the token`);
      if (timers.size > 0) wrong.push(`${name}: leaves ${timers.size} timers`);
      // A call that received its response may keep a connection for the next call; a failed one must not.
      const answered = ended.filter(({ reason }) => !/^(Connection|RequestTimeout)Error$/.test(reason?.name)).length;
      for (let turn = 0; sockets.size > answered && turn < 2_000; turn++)
        await new Promise((resolve) => setTimeout(resolve, 5));
      if (sockets.size > answered) wrong.push(`${name}: leaves ${sockets.size} connections`);
      for (const socket of all) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    }
  } finally {
    for (const [name, method] of methods) console[name] = method;
    await new Promise((resolve) => setImmediate(resolve));
    process.off("uncaughtException", uncaught);
    process.off("unhandledRejection", uncaught);
  }
  if (printed.some((line) => line.includes(TOKEN))) wrong.push("a line on the console shows the token");
  return { kinds: kinds.length, wrong };
}
