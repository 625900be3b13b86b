/** Elysia on its Node adapter, with its own schemas and CORS. */
import { ReadableStream } from "node:stream/web";
import { cors } from "@elysiajs/cors";
import { node } from "@elysiajs/node";
import { Elysia, t } from "elysia";
import { ALLOWED_ORIGIN, etagOf, isFresh, logAccess, requestIdOf, withFiveMiddlewares } from "./five.ts";
import { freePort } from "./free-port.ts";
import { colonAndStar, plainRoutes } from "./plain-routes.ts";
import { serveProcessMetrics } from "./process-metrics.ts";
import { announce } from "./serving.ts";
import { chunks, greeting } from "./workload.ts";

const user = t.Object({ id: t.Integer() });
const order = t.Object({
  customer: t.String(),
  items: t.Array(t.Object({ sku: t.String(), amount: t.Number() })),
  note: t.String(),
});

const app = new Elysia({ adapter: node() });
if (withFiveMiddlewares) {
  app
    .derive(({ request, set }) => {
      const requestId = requestIdOf(request.headers.get("x-request-id"));
      set.headers["x-request-id"] = requestId;
      set.headers["x-content-type-options"] = "nosniff";
      return { requestId, since: performance.now() };
    })
    .use(cors({ origin: ALLOWED_ORIGIN, credentials: false, allowedHeaders: [], exposeHeaders: [] }))
    .mapResponse(({ request, response, set }) => {
      const text = JSON.stringify(response);
      const etag = etagOf(text);
      if (request.method === "GET" && isFresh(request.headers.get("if-none-match"), etag)) set.status = 304;
      const fresh = set.status === 304;
      set.headers["etag"] = etag;
      set.headers["content-type"] = "application/json";
      if (!fresh) set.headers["content-length"] = String(Buffer.byteLength(text));
      const headers = set.headers as Record<string, string>;
      return new Response(fresh ? null : text, { status: fresh ? 304 : 200, headers });
    })
    .onAfterResponse(({ request, path, set, requestId, since }) => {
      logAccess({ method: request.method, path, status: Number(set.status ?? 200), requestId, since });
    });
}
for (const [verb, path] of plainRoutes(colonAndStar)) app.route(verb.toUpperCase(), path, () => ({ path }));
app.get("/json", () => greeting());
app.get("/users/:id", ({ params }) => ({ id: params.id }), { params: user });
app.post("/echo", ({ body }) => body, { body: order });
app.get(
  "/stream",
  () =>
    // The types of a peer include the types of browsers, with a different `ReadableStream`.
    new Response(ReadableStream.from(chunks()) as unknown as BodyInit, {
      headers: { "content-type": "application/octet-stream" },
    }),
);
await serveProcessMetrics();
const port = await freePort();
app.listen({ port, hostname: "127.0.0.1" }, () => announce(port));
