import { App } from "@framework/core";
import { database } from "./index.ts";

/** A service whose connections and disk a test can exhaust. `DATABASE` is its configuration. */
const app = new (App.with(database))().enableDatabase(JSON.parse(process.env["DATABASE"] ?? "{}"));
app.onEvent("startup", async () => {
  await app.db.execute("CREATE TABLE IF NOT EXISTS things (text TEXT)");
});

const text = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(25_000))).toString("hex"); // cannot be compressed
app.get("/things", async () => ({ count: await app.db.fetchValue("SELECT count(*) FROM things") }));
app.post("/things", async () => {
  console.log(JSON.stringify({ message: "storing" }));
  await app.db.execute`INSERT INTO things VALUES (${text()})`;
  return { stored: true };
});
app.post("/things/in-transaction", async () => {
  await app.db.transaction((tx) => tx.execute`INSERT INTO things VALUES (${text()})`);
  return { stored: true };
});

let release = async (): Promise<void> => {};
app.post("/hold", async () => {
  const [held, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const transaction = app.db.transaction(async (tx) => {
    await tx.execute("INSERT INTO things VALUES ('held')");
    held.resolve();
    await end.promise;
  });
  release = async () => {
    end.resolve();
    await transaction;
  };
  await held.promise;
  return { held: true };
});
app.post("/release", async () => {
  await release();
  return { held: false };
});

/** Takes two seconds on PostgreSQL; on SQLite it counts 40 million rows, which takes about 10 ns each. */
const slow =
  app.db.dialect === "postgres"
    ? "SELECT pg_sleep(2)"
    : "SELECT count(*) FROM (WITH d(x) AS (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) SELECT 1 FROM d AS a, d AS b, d AS c, d AS e, d AS f, d AS g, d AS h, d AS i WHERE i.x < 4)";
app.get("/slow", async () => ({ rows: (await app.db.query(slow)).length }));
await app.run({ argv: [], workers: 1, env: "production" });
