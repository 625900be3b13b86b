/** Hono with its own middleware. */
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { jwt } from "hono/jwt";
import { serveProcessMetrics } from "../process-metrics.ts";
import { announce, listenPort } from "../serving.ts";
import { ALGORITHM, AUDIENCE, ISSUER, SECRET } from "./rules.ts";

const app = new Hono<{ Variables: { jwtPayload: { readonly sub: string } } }>();
app.use(jwt({ secret: SECRET, alg: ALGORITHM, verification: { iss: ISSUER, aud: AUDIENCE } }));
app.get("/me", (context) => context.json({ sub: context.get("jwtPayload").sub }));
await serveProcessMetrics();
serve({ fetch: app.fetch, port: listenPort, hostname: "127.0.0.1" }, ({ port }) => announce(port));
