/** Baseline of the memory of an idle connection: bare `node:http` with the idle limit `IDLE_SECS`. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readVitals } from "../servers/vitals.ts";

const server = createServer(
  { keepAliveTimeout: Number(process.env["IDLE_SECS"] ?? 75) * 1000 },
  (request, response) => {
    const send = (value: unknown): void => {
      const text = JSON.stringify(value);
      response.writeHead(200, {
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(text),
      });
      response.end(text);
    };
    if (request.url !== "/open-resources") return send({ books: [{ id: 1, title: "Dune" }], total: 1 });
    server.getConnections((_error, open) => {
      void readVitals().then((found) => send({ ...found, open, handlers: 0, streams: 0 }));
    });
  },
);
server.listen(0, "127.0.0.1", 4096, () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ event: "listening", url: `http://127.0.0.1:${port}` }));
});
process.on("SIGTERM", () => process.exit(0));
