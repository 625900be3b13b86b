/** Serves `/json` with four workers, or with one process (`--single`): raw `node:http` in `node:cluster`, or the framework (`--framework`). */
import cluster from "node:cluster";
import { createServer } from "node:http";
import { App } from "@framework/core";
import { announceServer } from "./serving.ts";
import { greeting } from "./workload.ts";

const single = process.argv.includes("--single");
const workers = single ? 1 : 4;

const raw = (): void => {
  const server = createServer((_request, response) => {
    const text = JSON.stringify(greeting());
    response.writeHead(200, {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(text),
    });
    response.end(text);
  });
  server.listen(0, "127.0.0.1", () => {
    if (single || cluster.worker?.id === workers) announceServer(server);
  });
};

if (process.argv.includes("--framework")) {
  const accept = process.argv.includes("--primary") ? "primary" : "workers";
  const app = new App();
  app.get("/json", () => greeting());
  await app.run({ env: "production", port: 0, workers, cluster: { accept }, logs: false, argv: [] });
} else if (cluster.isPrimary && !single) {
  let last = cluster.fork();
  for (let count = 1; count < workers; count++) {
    last.once("listening", () => (last = cluster.fork()));
    await new Promise((resolve) => last.once("listening", resolve));
  }
} else raw();
