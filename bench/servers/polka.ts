/** Polka, which has only routing and middleware; everything else is written as in `raw.ts`. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import createPolka from "polka";
import { ALLOWED_ORIGIN, etagOf, isFresh, logAccess, requestIdOf, withFiveMiddlewares } from "./five.ts";
import { colonAndStar, plainRoutes } from "./plain-routes.ts";
import { serveProcessMetrics } from "./process-metrics.ts";
import { announceServer } from "./serving.ts";
import { chunks, greeting, isOrder, wholeNumber } from "./workload.ts";

const send = (request: IncomingMessage, response: ServerResponse, value: unknown, status = 200): void => {
  const text = JSON.stringify(value);
  response.statusCode = status;
  if (withFiveMiddlewares) {
    const etag = etagOf(text);
    response.setHeader("ETag", etag);
    if (request.method === "GET" && isFresh(request.headers["if-none-match"], etag)) {
      response.statusCode = 304;
      response.end();
      return;
    }
  }
  response.setHeader("Content-Type", "application/json");
  response.setHeader("Content-Length", Buffer.byteLength(text));
  response.end(text);
};

const jsonBody = async (request: IncomingMessage): Promise<unknown> => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return JSON.parse(Buffer.concat(pieces).toString());
};

const app = createPolka();
if (withFiveMiddlewares) {
  app.use((request, response, next) => {
    const since = performance.now();
    const requestId = requestIdOf(request.headers["x-request-id"] as string | undefined);
    response.setHeader("X-Request-Id", requestId);
    response.on("finish", () => {
      const { method, path } = request;
      logAccess({ method, path, status: response.statusCode, requestId, since });
    });
    next();
  });
  app.use((request, response, next) => {
    if (request.headers.origin === ALLOWED_ORIGIN) {
      response.setHeader("Access-Control-Allow-Origin", ALLOWED_ORIGIN);
    }
    response.setHeader("Vary", "Origin");
    next();
  });
  app.use((_request, response, next) => {
    response.setHeader("X-Content-Type-Options", "nosniff");
    next();
  });
}
for (const [verb, path] of plainRoutes(colonAndStar)) {
  app[verb](path, (request, response) => send(request, response, { path }));
}
app.get("/json", (request, response) => send(request, response, greeting()));
app.get("/users/:id", (request, response) => {
  const id = wholeNumber(String(request.params["id"]));
  if (id === null) send(request, response, { error: "Validation Failed" }, 422);
  else send(request, response, { id });
});
app.post("/echo", async (request, response) => {
  const body = await jsonBody(request);
  if (isOrder(body)) send(request, response, body);
  else send(request, response, { error: "Validation Failed" }, 422);
});
app.get("/stream", (_request, response) => {
  response.setHeader("Content-Type", "application/octet-stream");
  return pipeline(Readable.from(chunks(), { objectMode: false }), response);
});
await serveProcessMetrics();
app.listen(Number(process.env["PORT"] ?? 0), "127.0.0.1", () => {
  if (app.server !== undefined) announceServer(app.server);
});
