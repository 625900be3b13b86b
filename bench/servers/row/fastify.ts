/** Fastify with its schemas and the bare library. */
import createFastify from "fastify";
import { serveProcessMetrics } from "../process-metrics.ts";
import { announceServer, listenPort } from "../serving.ts";
import { openBooks } from "./books.ts";

const find = await openBooks();
const params = { type: "object", required: ["id"], properties: { id: { type: "integer" } } } as const;
const book = {
  type: "object",
  properties: {
    id: { type: "integer" },
    title: { type: "string" },
    author: { type: "string" },
    year: { type: "integer" },
  },
} as const;
const app = createFastify();
app.get<{ Params: { id: number } }>(
  "/books/:id",
  { schema: { params, response: { 200: book } } },
  async (request, reply) => (await find(request.params.id)) ?? reply.code(404).send(),
);
await serveProcessMetrics();
await app.listen({ port: listenPort, host: "127.0.0.1" });
announceServer(app.server);
