/**
 * A collector in a separate process, so that its cost is not measured; it decodes nothing. `--answer=ok` accepts every export, `busy`
 * replies 429, `never` reads and does not reply.
 */
import { createServer } from "node:http";
import { announceServer } from "./serving.ts";

const answer = process.argv.find((arg) => arg.startsWith("--answer="))?.split("=")[1] ?? "ok";

const server = createServer((request, reply) => {
  request.resume();
  request.on("end", () => {
    if (answer === "never") return;
    reply.writeHead(answer === "busy" ? 429 : 200, { "content-type": "application/x-protobuf" }).end();
  });
});
server.listen(0, "127.0.0.1", () => announceServer(server));
