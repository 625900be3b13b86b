import { App } from "@framework/core";
import { database } from "../index.ts";

/** A service of four workers that migrate at start; `DATABASE` is its configuration. */
const app = new (App.with(database))().enableDatabase({
  ...JSON.parse(process.env["DATABASE"] ?? "{}"),
  migrateAtStart: true,
});
const startedAt = Date.now();
app.onEvent("startup", async () => {
  await app.db.execute`INSERT INTO workers VALUES (${process.pid}, ${startedAt}, ${Date.now()})`;
});
app.get("/", () => app.db.query("SELECT * FROM workers"));
app.get("/migrated", () => app.db.query("SELECT * FROM migrated"));
await app.run({ argv: [], workers: 4, env: "production" });
