import { fastify } from "fastify";
import { mercurius } from "mercurius";
import { resolvers, SCHEMA } from "../graphql/library.ts";
import { serveProcessMetrics } from "../servers/process-metrics.ts";
import { announceServer } from "../servers/serving.ts";

const app = fastify({ logger: false });
// Without its JIT compiler, for comparability: none of the others compiles documents.
await app.register(mercurius, { schema: SCHEMA, resolvers: resolvers as never, jit: 0 });
await serveProcessMetrics();
await app.listen({ host: "127.0.0.1", port: 0 });
announceServer(app.server);
