/** Fastify with its JSON schemas; with `--five` also its plugins for CORS and entity tags, and its own logger, pino. */
import { Readable } from "node:stream";
import cors from "@fastify/cors";
import etag from "@fastify/etag";
import createFastify, { type FastifyInstance } from "fastify";
import { ALLOWED_ORIGIN, logFile, requestIdOf, withFiveMiddlewares } from "./five.ts";
import { colonAndStar, plainRoutes } from "./plain-routes.ts";
import { serveProcessMetrics } from "./process-metrics.ts";
import { announceServer } from "./serving.ts";
import { chunks, greeting, orderSchema } from "./workload.ts";

const greetingSchema = {
  type: "object",
  properties: { message: { type: "string" }, framework: { type: "string" }, ok: { type: "boolean" } },
} as const;
const userSchema = {
  type: "object",
  required: ["id"],
  properties: { id: { type: "integer" } },
} as const;

const enableFive = async (app: FastifyInstance): Promise<void> => {
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("X-Request-Id", request.id);
    reply.header("X-Content-Type-Options", "nosniff");
    done();
  });
  await app.register(cors, { origin: [ALLOWED_ORIGIN] });
  await app.register(etag, { weak: true });
};

const app = withFiveMiddlewares
  ? createFastify({
      logger: { file: logFile },
      genReqId: (request) => requestIdOf(request.headers["x-request-id"] as string | undefined),
    })
  : createFastify();
if (withFiveMiddlewares) await enableFive(app);
for (const [verb, path] of plainRoutes(colonAndStar)) app[verb](path, () => ({ path }));
app.get("/json", { schema: { response: { 200: greetingSchema } } }, (_request, reply) => {
  reply.send(greeting());
});
app.get<{ Params: { id: number } }>(
  "/users/:id",
  { schema: { params: userSchema, response: { 200: userSchema } } },
  (request, reply) => {
    reply.send({ id: request.params.id });
  },
);
app.post("/echo", { schema: { body: orderSchema, response: { 200: orderSchema } } }, (request, reply) => {
  reply.send(request.body);
});
app.get("/stream", (_request, reply) => {
  reply.type("application/octet-stream").send(Readable.from(chunks(), { objectMode: false }));
});
await serveProcessMetrics();
await app.listen({ port: Number(process.env["PORT"] ?? 0), host: "127.0.0.1" });
announceServer(app.server);
