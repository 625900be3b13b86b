/** Express with `express-rate-limit` and its store for clusters: one count for all workers, in the primary process. */
import {
  ClusterMemoryStorePrimary,
  ClusterMemoryStoreWorker,
} from "@express-rate-limit/cluster-memory-store";
import createExpress from "express";
import { rateLimit } from "express-rate-limit";
import { listenPort } from "../serving.ts";
import { greeting } from "../workload.ts";
import { CLIENT_FIELD, MAX_REQUESTS, WINDOW_SECS } from "./client.ts";
import { runWorkers } from "./workers.ts";

const serve = (): void => {
  const app = createExpress().disable("x-powered-by").disable("etag");
  app.use(
    rateLimit({
      limit: MAX_REQUESTS,
      windowMs: WINDOW_SECS * 1000,
      standardHeaders: "draft-8",
      legacyHeaders: false,
      keyGenerator: (request) => request.get(CLIENT_FIELD) ?? "",
      store: new ClusterMemoryStoreWorker(),
    }),
  );
  app.get("/json", (_request, response) => void response.json(greeting()));
  app.listen(listenPort, "127.0.0.1");
};

await runWorkers(serve, () => new ClusterMemoryStorePrimary().init());
