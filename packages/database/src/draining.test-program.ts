import { App } from "@framework/core";
import { database } from "./index.ts";

/** A service with endless reads. `DATABASE` is its configuration, `WORKERS` the number of its processes. */
const app = new (App.with(database))().enableDatabase(JSON.parse(process.env["DATABASE"] ?? "{}"));
const endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n FROM c) SELECT count(*) FROM c";
const tenTo15 = Array.from({ length: 15 }, (_, at) => `d AS d${at}`).join(", ");
const blocking = `WITH d(x) AS (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) SELECT count(*) FROM ${tenTo15}`;

app.get("/endless", () => app.db.query(endless));
app.get("/blocking", () => {
  console.log("blocked from now on");
  return app.db.query(blocking);
});
const workers = Number(process.env["WORKERS"]);
await app.run({ argv: [], workers, env: "production", cluster: { shutdownTimeoutSecs: 0.3 } });
