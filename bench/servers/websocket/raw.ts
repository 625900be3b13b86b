/** `ws` on `node:http`. */
import { createServer } from "node:http";
import { WebSocketServer } from "ws";
import { announceServer, listenPort, openVitals } from "../serving.ts";

const server = createServer();
new WebSocketServer({ server }).on("connection", (socket) => {
  socket.on("message", (data, binary) => socket.send(data as Buffer, { binary }));
  socket.on("error", () => {}); // a close follows
});
await openVitals();
server.listen(listenPort, "127.0.0.1", () => announceServer(server));
