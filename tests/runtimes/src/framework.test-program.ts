// Prints a reply of the App with every feature, which loads feature packages on first use.
import { App } from "@framework/framework";

const app = new App()
  .enableCaching({ ttl: 60 })
  .enableCors()
  .enableOpenapi()
  .enableDatabase({ url: "sqlite://:memory:" });
app.get("/", async () => ({ one: await app.db.fetchValue("SELECT 1") }));
const reply = await app.fetch(new Request("http://localhost/"));
console.log(
  JSON.stringify({ status: reply.status, cache: reply.headers.get("x-cache"), body: await reply.json() }),
);
await app.stop();
