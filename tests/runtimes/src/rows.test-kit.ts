import { expect } from "@jest/globals";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { bundledProgram } from "@framework/bundled-sources";
import { runProgram, type Program, type Runtime, serve } from "./runtimes.test-kit.ts";

/** Tests a row of the README's matrix; rejects if the runtime does not support it. */
export type Row = (runtime: Runtime, program: Program) => Promise<void>;

/** The service with ten features; the rows of a runtime share one process of it. */
const source = join(import.meta.dirname, "service.test-program.ts");
export const service: string = bundledProgram(source);
/** Runs from source, to test that each runtime resolves and loads the packages as separate files. */
const framework = join(import.meta.dirname, "framework.test-program.ts");
const books = bundledProgram(join(import.meta.dirname, "../../../apps/books/src/main.ts"));

const send = async (url: string, body: unknown): Promise<Response> =>
  await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

const routes: Row = async (_runtime, { url }) => {
  const book = await fetch(`${url}/books/7?x=1`);
  expect([book.status, await book.json()]).toMatchObject([200, { id: "7" }]);
  expect(await (await send(`${url}/echo`, { a: [1, "ü"] })).json()).toEqual({ got: { a: [1, "ü"] } });
  const failure = await fetch(`${url}/fails`);
  expect([failure.status, await failure.text()]).toEqual([500, expect.not.stringContaining("hides")]);
  expect((await fetch(`${url}/nowhere`)).status).toBe(404);
  const form = new FormData();
  form.set("file", new File(["hello"], "a.txt"));
  const upload = await fetch(`${url}/upload`, { method: "POST", body: form });
  expect(await upload.json()).toEqual([["a.txt", "hello"]]);
};

const largeBodies: Row = async (_runtime, { url }) => {
  const headers = { "content-type": "application/json", "accept-encoding": "identity" };
  for (const size of [10, 70_000, 99_000]) {
    const text = "x".repeat(size);
    const json = JSON.stringify(text);
    for (const body of [
      json,
      ReadableStream.from([json.slice(0, 1), json.slice(1)].map((part) => Buffer.from(part))),
    ]) {
      const reply = await fetch(`${url}/echo`, { method: "POST", headers, body, duplex: "half" });
      expect(await reply.json()).toEqual({ got: text });
    }
  }
};

/** Repeated, because a server that closes too early loses only some of these replies. */
const refusedBodies: Row = async (_runtime, { url }) => {
  const body = "x".repeat(200_000);
  for (let attempt = 0; attempt < 20; attempt++) expect((await send(`${url}/echo`, body)).status).toBe(413);
};

const raw = async (url: string, message: string): Promise<string> => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let reply = "";
  socket.on("data", (piece) => (reply += String(piece)));
  const closed = once(socket, "close");
  socket.write(message);
  await closed;
  return reply;
};

/** Sends messages that the HTTP parsers of runtimes may accept but the framework must reject. */
const malformed: Row = async (_runtime, { url }) => {
  const head = "POST /echo HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n";
  const chunked = `${head}transfer-encoding: chunked\r\n`;
  for (const message of [
    `${chunked}content-length: 3\r\n\r\n0\r\n\r\nGET /pid HTTP/1.1\r\nhost: x\r\n\r\n`,
    `${chunked}\r\n1;${"x".repeat(17_000)}\r\n1\r\n0\r\n\r\n`,
    `${chunked}\r\n1 ;a=b\r\n1\r\n0\r\n\r\n`,
  ])
    expect(await raw(url, message)).toMatch(/^HTTP\/1\.1 4\d\d [^]*connection: close/i);
};

const features: Row = async (_runtime, { url }) => {
  const get = async (encoding: string): Promise<Response> =>
    await fetch(`${url}/books/features`, {
      headers: { "accept-encoding": encoding, origin: "https://app.example" },
    });
  const [first, second] = [await get("gzip"), await get("br")];
  expect([first.headers.get("x-cache"), second.headers.get("x-cache")]).toEqual(["MISS", "HIT"]);
  expect([first.headers.get("content-encoding"), second.headers.get("content-encoding")]).toEqual([
    "gzip",
    "br",
  ]);
  expect(await first.json()).toEqual(await second.json());
  expect((await get("zstd")).headers.get("content-encoding")).toBe("zstd");
  const names = [
    "access-control-allow-origin",
    "x-content-type-options",
    "ratelimit-policy",
    "etag",
    "x-request-id",
  ];
  for (const name of names) expect([name, first.headers.get(name)]).toEqual([name, expect.any(String)]);
  const { headers } = await fetch(`${url}/pid`);
  const tagged = await fetch(`${url}/pid`, { headers: { "if-none-match": headers.get("etag") ?? "" } });
  expect(tagged.status).toBe(304);
  expect((await fetch(`${url}/health/ready`)).status).toBe(200);
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: object };
  expect(Object.keys(paths)).toContain("/books/{id}");
};

const streams: Row = async (_runtime, { url }) => {
  const parts = Array.from({ length: 100 }, (_, part) => `${part},`).join("");
  expect(await (await fetch(`${url}/stream`)).text()).toBe(parts);
  const events = await fetch(`${url}/events`);
  expect(await events.text()).toBe("data: one\n\nid: 2\ndata: two\n\n");
};

const files: Row = async (_runtime, { url }) => {
  const text = readFileSync(source);
  const whole = await fetch(`${url}/files/service.test-program.ts`, {
    headers: { "accept-encoding": "identity" },
  });
  const hash = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
  expect(hash(await whole.bytes())).toBe(hash(text));
  const range = await fetch(`${url}/files/service.test-program.ts`, { headers: { range: "bytes=3-9" } });
  expect([range.status, await range.text()]).toEqual([206, text.toString("latin1", 3, 10)]);
};

const tokens: Row = async (_runtime, { url }) => {
  const token = await (await fetch(`${url}/token`)).text();
  const mine = await fetch(`${url}/own/name`, { headers: { authorization: `Bearer ${token}` } });
  expect([mine.status, await mine.text()]).toEqual([200, "ann"]);
  expect((await fetch(`${url}/own/name`)).status).toBe(401);
};

const sockets: Row = async (_runtime, { url }) => {
  const socket = new WebSocket(`${url.replace("http", "ws")}/live`);
  await once(socket, "open");
  socket.send("hello");
  const [{ data }] = (await once(socket, "message")) as [MessageEvent];
  socket.close();
  expect(data).toBe("echo hello");
};

/** Must be the last row that uses the shared process. */
const drain: Row = async (_runtime, program) => {
  const { hostname, port } = new URL(program.url);
  const socket = connect(Number(port), hostname);
  let reply = "";
  socket.on("data", (piece) => (reply += String(piece)));
  socket.write("GET /until-drain HTTP/1.1\r\nhost: x\r\n\r\n");
  while ((await (await fetch(`${program.url}/waiting`)).text()) !== "1") continue;
  const closed = once(socket, "close");
  expect(await program.stop()).toBe(0);
  await closed;
  expect(reply).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\ndrained$/);
};

const workers: Row = async (runtime) => {
  await using program = await serve(runtime, service, 2);
  const pids = new Set<string>();
  const deadline = Date.now() + 60_000;
  while (pids.size < 2 && Date.now() < deadline)
    pids.add(await (await fetch(`${program.url}/pid`, { headers: { connection: "close" } })).text());
  expect(pids.size).toBe(2);
};

const everyFeature: Row = async (runtime) => {
  expect(JSON.parse(await runProgram(runtime, framework))).toEqual({
    status: 200,
    cache: "MISS",
    body: { one: 1 },
  });
};

const reference: Row = async (runtime) => {
  await using program = await serve(runtime, books);
  const { url } = program;
  const created = await send(`${url}/books`, { title: "Emma", year: 1815 });
  expect([created.status, await created.json()]).toMatchObject([201, { id: 1, title: "Emma" }]);
  expect(await (await fetch(`${url}/books/1`)).json()).toMatchObject({ title: "Emma" });
  expect((await fetch(`${url}/books/1`, { method: "DELETE" })).status).toBe(200);
  for (const path of ["/docs", "/health/ready", "/metrics", "/static/"])
    expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
  expect(await program.stop()).toBe(0);
};

/** The rows of the matrix, by their names in the README. */
export const rows: Readonly<Record<string, Row>> = {
  "routes, bodies, uploads, errors": routes,
  "bodies over 64 KB, chunked bodies": largeBodies,
  "413 while a client still sends": refusedBodies,
  "malformed messages refused": malformed,
  "ten features in one app": features,
  "streams and server-sent events": streams,
  "files and ranges": files,
  "JSON Web Tokens": tokens,
  WebSocket: sockets,
  "`@framework/framework`, SQLite": everyFeature,
  "the books application": reference,
  "drain at SIGTERM": drain,
  "several workers": workers,
};
