/** Express with its own JSON parser and ETag, and the `cors` package. */
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import cors from "cors";
import createExpress from "express";
import { ALLOWED_ORIGIN, logAccess, requestIdOf, withFiveMiddlewares } from "./five.ts";
import { colonAndNamedStar, plainRoutes } from "./plain-routes.ts";
import { serveProcessMetrics } from "./process-metrics.ts";
import { announceServer } from "./serving.ts";
import { chunks, greeting, isOrder, wholeNumber } from "./workload.ts";

const app = createExpress();
app.disable("x-powered-by");
if (withFiveMiddlewares) {
  app.use((request, response, next) => {
    const since = performance.now();
    const requestId = requestIdOf(request.get("x-request-id"));
    response.set("X-Request-Id", requestId).set("X-Content-Type-Options", "nosniff");
    response.on("finish", () => {
      const { method, path } = request;
      logAccess({ method, path, status: response.statusCode, requestId, since });
    });
    next();
  });
  app.use(cors({ origin: [ALLOWED_ORIGIN] }));
} else {
  app.disable("etag");
}
for (const [verb, path] of plainRoutes(colonAndNamedStar)) {
  app[verb](path, (_request, response) => void response.json({ path }));
}
app.get("/json", (_request, response) => void response.json(greeting()));
app.get("/users/:id", (request, response) => {
  const id = wholeNumber(request.params.id);
  if (id === null) response.status(422).json({ error: "Validation Failed" });
  else response.json({ id });
});
app.post("/echo", createExpress.json(), (request, response) => {
  const body: unknown = request.body;
  if (isOrder(body)) response.json(body);
  else response.status(422).json({ error: "Validation Failed" });
});
app.get("/stream", (_request, response) => {
  response.type("application/octet-stream");
  return pipeline(Readable.from(chunks(), { objectMode: false }), response);
});
await serveProcessMetrics();
const server = app.listen(Number(process.env["PORT"] ?? 0), "127.0.0.1", () => announceServer(server));
