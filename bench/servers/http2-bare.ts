/** Hand-written server on the core API of `node:http2`: one listener for streams that dispatches by path. */
import { createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { serveProcessMetrics } from "./process-metrics.ts";
import { announceServer } from "./serving.ts";
import { greeting, isOrder, wholeNumber } from "./workload.ts";

const sendJson = (stream: ServerHttp2Stream, status: number, value: unknown): void => {
  const text = JSON.stringify(value);
  stream.respond({
    ":status": status,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
  });
  stream.end(text);
};

const echo = (stream: ServerHttp2Stream): void => {
  const pieces: Buffer[] = [];
  stream.on("data", (piece: Buffer) => pieces.push(piece));
  stream.on("end", () => {
    const value: unknown = JSON.parse(Buffer.concat(pieces).toString());
    if (isOrder(value)) sendJson(stream, 200, value);
    else sendJson(stream, 422, { error: "Validation Failed" });
  });
};

const user = (stream: ServerHttp2Stream, text: string): void => {
  const id = wholeNumber(text);
  if (id === null) sendJson(stream, 422, { error: "Validation Failed" });
  else sendJson(stream, 200, { id });
};

const server = createServer();
server.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
  stream.on("error", () => {}); // without a listener, a reset request would crash the process
  const { ":path": path = "", ":method": method } = headers;
  if (method === "GET" && path === "/json") sendJson(stream, 200, greeting());
  else if (method === "GET" && path.startsWith("/users/")) user(stream, path.slice(7));
  else if (method === "POST" && path === "/echo") echo(stream);
  else sendJson(stream, 404, { error: "Not Found" });
});
await serveProcessMetrics();
server.listen(0, "127.0.0.1", () => announceServer(server));
