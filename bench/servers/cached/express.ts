/** Express with `apicache`. */
import apicache from "apicache";
import createExpress from "express";
import { serveProcessMetrics } from "../process-metrics.ts";
import { announceServer, listenPort } from "../serving.ts";
import { report } from "./report.ts";

const app = createExpress().disable("x-powered-by").disable("etag");
app.use(apicache.middleware("1 hour"));
app.get("/report", (_request, response) => void response.json(report()));
await serveProcessMetrics();
const server = app.listen(listenPort, "127.0.0.1", () => announceServer(server));
