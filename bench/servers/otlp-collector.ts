/** A collector in a process of its own, so that its work is not that of the server: accepts every export and decodes none. */
import { createServer } from "node:http";
import { announceServer } from "./serving.ts";

const server = createServer((request, reply) => {
  request.resume();
  request.on("end", () => reply.writeHead(200, { "content-type": "application/x-protobuf" }).end());
});
server.listen(0, "127.0.0.1", () => announceServer(server));
