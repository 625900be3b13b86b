/** h3 with its own validation and CORS. */
import {
  getValidatedRouterParams,
  H3,
  handleCors,
  iterable,
  type Middleware,
  readValidatedBody,
  serve,
  toResponse,
} from "h3";
import { ALLOWED_ORIGIN, etagOf, isFresh, logAccess, requestIdOf, withFiveMiddlewares } from "./five.ts";
import { plainRoutes } from "./plain-routes.ts";
import { serveProcessMetrics } from "./process-metrics.ts";
import { announce } from "./serving.ts";
import { chunks, greeting, isOrder, wholeNumber } from "./workload.ts";

const five: Middleware = async (event, next) => {
  const since = performance.now();
  const requestId = requestIdOf(event.req.headers.get("x-request-id"));
  const { headers } = event.res;
  headers.set("x-request-id", requestId);
  headers.set("x-content-type-options", "nosniff");
  const preflight = handleCors(event, { origin: [ALLOWED_ORIGIN] });
  if (preflight !== false) return preflight;
  const value = await next();
  const text = JSON.stringify(value);
  const etag = etagOf(text);
  headers.set("etag", etag);
  headers.set("content-type", "application/json");
  const fresh = isFresh(event.req.headers.get("if-none-match"), etag);
  if (fresh) event.res.status = 304;
  logAccess({
    method: event.req.method,
    path: event.url.pathname,
    status: event.res.status ?? 200,
    requestId,
    since,
  });
  return fresh ? toResponse(null, event) : text;
};

const userOf = (params: unknown): { id: number } | false => {
  const id = wholeNumber(String((params as { id?: string }).id));
  return id === null ? false : { id };
};

const app = new H3();
if (withFiveMiddlewares) app.use(five);
for (const [verb, path] of plainRoutes({ param: (name) => `:${name}`, wildcard: (name) => `**:${name}` })) {
  app[verb](path, () => ({ path }));
}
app.get("/json", () => greeting());
app.get("/users/:id", async (event) => {
  const { id } = await getValidatedRouterParams(event, userOf);
  return { id };
});
app.post("/echo", (event) => readValidatedBody(event, (body) => isOrder(body) && body));
app.get("/stream", (event) => {
  event.res.headers.set("content-type", "application/octet-stream");
  return iterable(chunks());
});
await serveProcessMetrics();
const server = serve(app, {
  port: Number(process.env["PORT"] ?? 0),
  hostname: "127.0.0.1",
  silent: true,
  gracefulShutdown: false,
});
await server.ready();
announce(Number(new URL(server.url ?? "").port));
