/** Fastify with `@fastify/websocket`, which uses `ws`. */
import websocket from "@fastify/websocket";
import createFastify from "fastify";
import { serveProcessMetrics } from "../process-metrics.ts";
import { announceServer, listenPort } from "../serving.ts";

const app = createFastify();
await app.register(websocket);
app.get("/echo", { websocket: true }, (socket) => {
  socket.on("message", (data: Buffer, binary: boolean) => socket.send(data, { binary }));
});
await serveProcessMetrics();
await app.listen({ port: listenPort, host: "127.0.0.1" });
announceServer(app.server);
