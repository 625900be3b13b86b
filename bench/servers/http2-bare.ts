/** The core API of `node:http2` by hand: one listener for streams, a table of paths. */
import { createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { announceServer, openVitals } from "./serving.ts";
import { greeting } from "./workload.ts";

const answer = (stream: ServerHttp2Stream, status: number, value: unknown): void => {
  const text = JSON.stringify(value);
  stream.respond({
    ":status": status,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
  });
  stream.end(text);
};
const server = createServer();
server.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
  stream.on("error", () => {}); // without it a client that resets its request would end the process
  const { ":path": path = "", ":method": method } = headers;
  if (method === "GET" && path === "/json") answer(stream, 200, greeting());
  else if (method === "GET" && path.startsWith("/users/")) answer(stream, 200, { id: path.slice(7) });
  else answer(stream, 404, { error: "Not Found" });
});
await openVitals();
server.listen(0, "127.0.0.1", () => announceServer(server));
