/** Fastify with `@fastify/jwt`, which remembers the last tokens that it has verified. */
import jwt from "@fastify/jwt";
import createFastify from "fastify";
import { announceServer, listenPort, openVitals } from "../serving.ts";
import { ALGORITHM, AUDIENCE, ISSUER, REMEMBERED, SECRET } from "./rules.ts";

const app = createFastify();
await app.register(jwt, {
  secret: SECRET,
  verify: {
    algorithms: [ALGORITHM],
    allowedIss: ISSUER,
    allowedAud: AUDIENCE,
    requiredClaims: ["exp", "sub"],
    cache: REMEMBERED,
  },
});
app.addHook("onRequest", async (request) => {
  await request.jwtVerify();
});
const subject = { type: "object", properties: { sub: { type: "string" } } } as const;
app.get("/me", { schema: { response: { 200: subject } } }, (request, reply) => {
  reply.send({ sub: (request.user as { readonly sub: string }).sub });
});
await openVitals();
await app.listen({ port: listenPort, host: "127.0.0.1" });
announceServer(app.server);
