/** Elysia on its Node adapter, with `@elysiajs/jwt`. */
import { jwt } from "@elysiajs/jwt";
import { node } from "@elysiajs/node";
import { Elysia } from "elysia";
import { freePort } from "../free-port.ts";
import { serveProcessMetrics } from "../process-metrics.ts";
import { announce } from "../serving.ts";
import { ALGORITHM, AUDIENCE, ISSUER, SECRET } from "./rules.ts";

const app = new Elysia({ adapter: node() })
  .use(jwt({ name: "jwt", secret: SECRET, alg: ALGORITHM }))
  .get("/me", async ({ jwt: tokens, headers: { authorization }, status }) => {
    const token = authorization?.startsWith("Bearer ") === true ? authorization.slice(7) : undefined;
    const rules = { issuer: ISSUER, audience: AUDIENCE, requiredClaims: ["exp", "sub"] };
    const claims = await tokens.verify(token, rules);
    return claims === false ? status(401, { error: "Unauthorized" }) : { sub: claims.sub };
  });
await serveProcessMetrics();
const port = await freePort();
app.listen({ port, hostname: "127.0.0.1" }, () => announce(port));
