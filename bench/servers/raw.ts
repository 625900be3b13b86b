/**
 * The baseline of every ratio: an efficient hand-written handler on `node:http`. `--tuned` uses the options that make `node:http` faster: no keep-alive
 * timer, no stream events for requests without a body, a flat list of fields with a date formatted once a second.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ALLOWED_ORIGIN, etagOf, isFresh, logAccess, requestIdOf, withFiveMiddlewares } from "./five.ts";
import { serveProcessMetrics } from "./process-metrics.ts";
import { announceServer } from "./serving.ts";
import { chunks, greeting, isOrder, wholeNumber } from "./workload.ts";

type Send = (request: IncomingMessage, response: ServerResponse, status: number, value: unknown) => void;

const plain: Send = (_request, response, status, value) => {
  const text = JSON.stringify(value);
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
  });
  response.end(text);
};

let date = new Date().toUTCString();

const flat: Send = (_request, response, status, value) => {
  const text = JSON.stringify(value);
  const length = String(Buffer.byteLength(text));
  response.sendDate = false;
  response.writeHead(status, ["Content-Type", "application/json", "Content-Length", length, "Date", date]);
  response.end(text);
};

/** The five middlewares inline: fields, id, tag and an access log line. */
const five: Send = ({ method, url, headers }, response, status, value) => {
  const since = performance.now();
  const requestId = requestIdOf(headers["x-request-id"] as string | undefined);
  const text = JSON.stringify(value);
  const etag = etagOf(text);
  const fresh = method === "GET" && isFresh(headers["if-none-match"], etag);
  const code = fresh ? 304 : status;
  response.writeHead(code, {
    "Content-Type": "application/json",
    ...(fresh ? {} : { "Content-Length": Buffer.byteLength(text) }),
    ...(headers.origin === ALLOWED_ORIGIN ? { "Access-Control-Allow-Origin": ALLOWED_ORIGIN } : {}),
    Vary: "Origin",
    "X-Request-Id": requestId,
    "X-Content-Type-Options": "nosniff",
    ETag: etag,
  });
  response.end(fresh ? undefined : text);
  logAccess({ method, path: url, status: code, requestId, since });
};

/** The same with the tuned list of fields. */
const flatFive: Send = ({ method, url, headers }, response, status, value) => {
  const since = performance.now();
  const requestId = requestIdOf(headers["x-request-id"] as string | undefined);
  const text = JSON.stringify(value);
  const etag = etagOf(text);
  const fresh = method === "GET" && isFresh(headers["if-none-match"], etag);
  const code = fresh ? 304 : status;
  const fields = ["Content-Type", "application/json", "Date", date, "X-Request-Id", requestId, "ETag", etag];
  fields.push("X-Content-Type-Options", "nosniff", "Vary", "Origin");
  if (!fresh) fields.push("Content-Length", String(Buffer.byteLength(text)));
  if (headers.origin === ALLOWED_ORIGIN) fields.push("Access-Control-Allow-Origin", ALLOWED_ORIGIN);
  response.sendDate = false;
  response.writeHead(code, fields);
  response.end(fresh ? undefined : text);
  logAccess({ method, path: url, status: code, requestId, since });
};

const echo = (request: IncomingMessage, response: ServerResponse, send: Send): void => {
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", () => {
    const value: unknown = JSON.parse(Buffer.concat(pieces).toString());
    if (isOrder(value)) send(request, response, 200, value);
    else send(request, response, 422, { error: "Validation Failed" });
  });
};

const download = (response: ServerResponse): void => {
  response.writeHead(200, { "Content-Type": "application/octet-stream" });
  pipeline(Readable.from(chunks(), { objectMode: false }), response).catch(() => response.destroy());
};

const user = (request: IncomingMessage, response: ServerResponse, id: string, send: Send): void => {
  const number = wholeNumber(id);
  if (number === null) send(request, response, 422, { error: "Validation Failed" });
  else send(request, response, 200, { id: number });
};

const handler =
  (send: Send) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const { method, url = "" } = request;
    if (method === "GET" && url === "/json") send(request, response, 200, greeting());
    else if (method === "GET" && url.startsWith("/users/")) user(request, response, url.slice(7), send);
    else if (method === "POST" && url === "/echo") echo(request, response, send);
    else if (method === "GET" && url === "/stream") download(response);
    else send(request, response, 404, { error: "Not Found" });
  };

const tuned = process.argv.includes("--tuned");
const server = tuned
  ? createServer(
      { keepAliveTimeout: 0, optimizeEmptyRequests: true },
      handler(withFiveMiddlewares ? flatFive : flat),
    )
  : createServer(handler(withFiveMiddlewares ? five : plain));
if (tuned) setInterval(() => (date = new Date().toUTCString()), 1000).unref();
await serveProcessMetrics();
server.listen(Number(process.env["PORT"] ?? 0), "127.0.0.1", () => announceServer(server));
