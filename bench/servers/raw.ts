/**
 * The baseline of the ratio: a competent handler written by hand on `node:http`. `--tuned` turns on what makes `node:http` faster:
 * no keep-alive timer, no life cycle for empty bodies, a flat list of fields with a date made once a second.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { cpuTime } from "./vitals.ts";
import { greeting, isOrder } from "./workload.ts";

type Send = (response: ServerResponse, status: number, value: unknown) => void;

const plain: Send = (response, status, value) => {
  const text = JSON.stringify(value);
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
  });
  response.end(text);
};

let date = new Date().toUTCString();

const flat: Send = (response, status, value) => {
  const text = JSON.stringify(value);
  response.sendDate = false;
  response.writeHead(status, [
    "Content-Type",
    "application/json",
    "Content-Length",
    String(Buffer.byteLength(text)),
    "Date",
    date,
  ]);
  response.end(text);
};

const echo = (request: IncomingMessage, response: ServerResponse, send: Send): void => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString());
    if (isOrder(value)) send(response, 200, value);
    else send(response, 422, { error: "Validation Failed" });
  });
};

const handler =
  (send: Send) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const { method, url = "" } = request;
    if (method === "GET" && url === "/json") send(response, 200, greeting());
    else if (method === "GET" && url.startsWith("/users/")) send(response, 200, { id: url.slice(7) });
    else if (method === "POST" && url === "/echo") echo(request, response, send);
    else if (method === "GET" && url === "/vitals/cpu") send(response, 200, cpuTime());
    else send(response, 404, { error: "Not Found" });
  };

const tuned = process.argv.includes("--tuned");
const server = tuned
  ? createServer({ keepAliveTimeout: 0, optimizeEmptyRequests: true }, handler(flat))
  : createServer(handler(plain));
if (tuned) setInterval(() => (date = new Date().toUTCString()), 1000).unref();
server.listen(Number(process.env["PORT"] ?? 0), "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ event: "listening", url: `http://127.0.0.1:${port}` }));
});
process.on("SIGTERM", () => process.exit(0));
