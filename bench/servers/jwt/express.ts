/** Express with a middleware that uses `jose`. */
import createExpress from "express";
import { serveProcessMetrics } from "../process-metrics.ts";
import { announceServer, listenPort } from "../serving.ts";
import { subjectOf } from "./verify-with-jose.ts";

const app = createExpress().disable("x-powered-by").disable("etag");
app.use(async (request, response, next) => {
  const sub = await subjectOf(request.get("authorization"));
  if (sub === null) {
    response.status(401).json({ error: "Unauthorized" });
    return;
  }
  response.locals["sub"] = sub;
  next();
});
app.get("/me", (_request, response) => void response.json({ sub: response.locals["sub"] as string }));
await serveProcessMetrics();
const server = app.listen(listenPort, "127.0.0.1", () => announceServer(server));
