/** Express with `apicache`. */
import apicache from "apicache";
import createExpress from "express";
import { announceServer, listenPort, openVitals } from "../serving.ts";
import { report } from "./report.ts";

const app = createExpress().disable("x-powered-by").disable("etag");
app.use(apicache.middleware("1 hour"));
app.get("/report", (_request, response) => void response.json(report()));
await openVitals();
const server = app.listen(listenPort, "127.0.0.1", () => announceServer(server));
