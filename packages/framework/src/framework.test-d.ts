import { App as CoreApp } from "@framework/core";
import { App, Blueprint, Response } from "./index.ts";

const app = new App().enableCors().enableCaching({ ttl: 60 }).enableRateLimit().enableOpenapi().enableEtag();
app.get("/books/{id}", { cache: { tags: ["books"] }, rateLimit: false }, (request) => {
  request.app satisfies App;
  return Response.json({ id: request.params.id });
});
app.enableMessaging({ brokers: ["localhost:9092"], groupId: "shop" }).enableMessaging();
void app.db.fetchAll("SELECT 1");

// @ts-expect-error a misspelt option of a feature
app.get("/b", { cashe: {} }, () => 1);
// @ts-expect-error core alone has no features
new CoreApp().enableCors();

const v1 = new Blueprint("/v1/{org}", { deprecated: "2026-11-01", tags: ["v1"] });
v1.get("/books/{id}", { cache: false }, ({ params, app: its }) => [params.org, params.id, its.circuits]);
v1.websocket("/live", (socket, { params }) => socket.sendText(params.org));
app.registerBlueprint(v1);
const named: Blueprint<"/v2"> = new Blueprint("/v2");
app.registerBlueprint(named);

class Shop extends App {
  declare readonly state: { readonly title: string };
}
new Shop().enableEtag().get("/", ({ app: shop }) => shop.state.title);
