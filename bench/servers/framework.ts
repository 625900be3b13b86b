/** The framework: `--transport` is `fast` or `node`; `--async` uses async handlers. */
import { App, Response, type TransportName } from "@framework/core";
import { routes } from "../router/routes.ts";
import { withFiveMiddlewares } from "./five.ts";
import { createFiveApp } from "./framework-five.ts";
import { order, user } from "./framework-schemas.ts";
import { serveProcessMetrics } from "./process-metrics.ts";
import { chunks, greeting } from "./workload.ts";

const app = withFiveMiddlewares ? await createFiveApp() : new App();
for (const [method, path] of routes) app.route(path, { methods: [method as "POST"] }, () => ({ path }));
if (process.argv.includes("--async")) {
  app.get("/json", async () => greeting());
  app.get("/users/{id}", { params: user }, async (request) => ({ id: request.input.params.id }));
  app.post("/echo", { body: order }, async (request) => request.input.body);
} else {
  app.get("/json", () => greeting());
  app.get("/users/{id}", { params: user }, (request) => ({ id: request.input.params.id }));
  app.post("/echo", { body: order }, (request) => request.input.body);
}
app.get("/stream", () => Response.stream(chunks()));
await serveProcessMetrics();
await app.run({
  env: "production",
  workers: 1,
  transport: (process.argv.includes("--transport=node") ? "node" : "fast") satisfies TransportName,
  argv: [],
});
