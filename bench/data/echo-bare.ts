/** Baseline echo server: `ws` on `node:http`. */
import { createServer } from "node:http";
import { serveProcessMetrics } from "../servers/process-metrics.ts";
import { announceServer } from "../servers/serving.ts";
import { type BareSocket, loadWs } from "./packages.ts";

const server = createServer();
new (loadWs().WebSocketServer)({ server }).on("connection", (socket: BareSocket) => {
  socket.on("message", (data: Buffer, binary: boolean) => socket.send(data, { binary }));
  socket.on("error", () => {}); // a close follows
});
await serveProcessMetrics();
server.listen(0, "127.0.0.1", () => announceServer(server));
