/** The framework with `@framework/http2` and its default limits. */
import { App } from "@framework/core";
import { http2 } from "@framework/http2";
import { order, user } from "./framework-schemas.ts";
import { serveProcessMetrics } from "./process-metrics.ts";
import { announce } from "./serving.ts";
import { greeting } from "./workload.ts";

const app = new (App.with(http2))().enableHttp2({ h2c: true });
app.get("/json", () => greeting());
app.get("/users/{id}", { params: user }, (request) => ({ id: request.input.params.id }));
app.post("/echo", { body: order }, (request) => request.input.body);
await serveProcessMetrics();
const { port } = await app.run({
  port: 0,
  workers: 1,
  env: "production",
  logs: false,
  exitOnError: false,
  argv: [],
});
announce(port);
