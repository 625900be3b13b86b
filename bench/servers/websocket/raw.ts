/** `ws` on `node:http`. */
import { createServer } from "node:http";
import { WebSocketServer } from "ws";
import { serveProcessMetrics } from "../process-metrics.ts";
import { announceServer, listenPort } from "../serving.ts";

const server = createServer();
new WebSocketServer({ server }).on("connection", (socket) => {
  socket.on("message", (data, binary) => socket.send(data as Buffer, { binary }));
  socket.on("error", () => {}); // a close follows
});
await serveProcessMetrics();
server.listen(listenPort, "127.0.0.1", () => announceServer(server));
