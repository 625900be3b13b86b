/** Fastify with `@fastify/jwt`, which caches verified tokens. */
import jwt from "@fastify/jwt";
import createFastify from "fastify";
import { serveProcessMetrics } from "../process-metrics.ts";
import { announceServer, listenPort } from "../serving.ts";
import { ALGORITHM, AUDIENCE, ISSUER, MAX_CACHED_TOKENS, SECRET } from "./rules.ts";

const app = createFastify();
await app.register(jwt, {
  secret: SECRET,
  verify: {
    algorithms: [ALGORITHM],
    allowedIss: ISSUER,
    allowedAud: AUDIENCE,
    requiredClaims: ["exp", "sub"],
    cache: MAX_CACHED_TOKENS,
  },
});
app.addHook("onRequest", async (request) => {
  await request.jwtVerify();
});
const subject = { type: "object", properties: { sub: { type: "string" } } } as const;
app.get("/me", { schema: { response: { 200: subject } } }, (request, reply) => {
  reply.send({ sub: (request.user as { readonly sub: string }).sub });
});
await serveProcessMetrics();
await app.listen({ port: listenPort, host: "127.0.0.1" });
announceServer(app.server);
