/** Echo server of the framework, with an endless stream that respects backpressure. */
import { App } from "@framework/core";
import { serveProcessMetrics } from "../servers/process-metrics.ts";
import { websocket } from "./packages.ts";

const piece = "x".repeat(10_000);
/** Without pings, because the client counts bytes and expects only echoes. */
const app = new (App.with(websocket))().enableWebSocket({ pingSecs: 600, timeoutSecs: 1200 });
app.websocket("/echo", async (socket) => {
  for await (const message of socket) await socket.send(message);
});
app.websocket("/flood", async (socket) => {
  for (;;) await socket.sendText(piece);
});
await serveProcessMetrics();
await app.run({ env: "production", workers: 1, argv: [] });
