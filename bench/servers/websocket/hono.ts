/** Hono with the WebSocket support of its Node server, which uses `ws`. */
import { serve, upgradeWebSocket } from "@hono/node-server";
import { Hono } from "hono";
import { WebSocketServer } from "ws";
import { serveProcessMetrics } from "../process-metrics.ts";
import { announce, listenPort } from "../serving.ts";

const app = new Hono();
app.get(
  "/echo",
  upgradeWebSocket(() => ({
    onMessage: ({ data }, socket) => socket.send(data as string),
  })),
);
await serveProcessMetrics();
serve(
  {
    fetch: app.fetch,
    port: listenPort,
    hostname: "127.0.0.1",
    websocket: { server: new WebSocketServer({ noServer: true }) as never },
  },
  ({ port }) => announce(port),
);
