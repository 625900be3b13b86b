/**
 * A collector in a separate process, so that its cost is not measured; it decodes nothing. `--mode=ok` accepts every export, `busy`
 * replies 429, `never` reads and does not reply.
 */
import { createServer } from "node:http";
import { announceServer } from "./serving.ts";

const mode = process.argv.find((arg) => arg.startsWith("--mode="))?.split("=")[1] ?? "ok";

const server = createServer((request, reply) => {
  request.resume();
  request.on("end", () => {
    if (mode === "never") return;
    reply.writeHead(mode === "busy" ? 429 : 200, { "content-type": "application/x-protobuf" }).end();
  });
});
server.listen(0, "127.0.0.1", () => announceServer(server));
