/** Fastify with `@fastify/rate-limit`, which counts separately in each worker. */
import rateLimit from "@fastify/rate-limit";
import createFastify from "fastify";
import { listenPort } from "../serving.ts";
import { greeting } from "../workload.ts";
import { CLIENT_FIELD, MAX_REQUESTS, WINDOW_SECS } from "./client.ts";
import { runWorkers } from "./workers.ts";

const field = CLIENT_FIELD.toLowerCase();

await runWorkers(async () => {
  const app = createFastify();
  await app.register(rateLimit, {
    max: MAX_REQUESTS,
    timeWindow: WINDOW_SECS * 1000,
    keyGenerator: (request) => String(request.headers[field]),
  });
  app.get("/json", (_request, reply) => {
    reply.send(greeting());
  });
  await app.listen({ port: listenPort, host: "127.0.0.1" });
});
