// Four `node:cluster` workers with a bare `node:http` server. Prints a line when all of them listen.
import cluster from "node:cluster";
import { createServer } from "node:http";

const WORKERS = 4;

if (cluster.isPrimary) {
  let listening = 0;
  cluster.on("listening", () => {
    if (++listening === WORKERS) console.log("listening");
  });
  for (let index = 0; index < WORKERS; index++) cluster.fork();
} else {
  createServer((_request, response) => response.end("hello")).listen(0, "127.0.0.1");
}
