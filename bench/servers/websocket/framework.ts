/** The framework with `@framework/websocket`. Without pings, because the client expects only echoes. */
import { App } from "@framework/core";
import { serveProcessMetrics } from "../process-metrics.ts";
import { websocket } from "./websocket-package.ts";

const app = new (App.with(websocket))().enableWebSocket({ pingSecs: 600, timeoutSecs: 1200 });
app.websocket("/echo", async (socket) => {
  for await (const message of socket) await socket.send(message);
});
await serveProcessMetrics();
await app.run({ env: "production", workers: 1, transport: "fast", argv: [] });
