import { App as CoreApp, Blueprint as CoreBlueprint } from "@framework/core";
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

// A blueprint whose handlers see an app's own class
const books: Blueprint<"/books", Shop> = new Blueprint("/books");
books.get("/{id}", { cache: false }, ({ app: shop, params }) => shop.state.title + params.id);
books.websocket("/live", (socket, { app: shop }) => socket.sendText(shop.state.title));
const shelves = new Blueprint<"/shelves", Shop>("/shelves", { tags: ["shelves"] }).registerBlueprint(books);
new Shop().registerBlueprint(shelves).registerBlueprint(v1);
class Versioned extends Blueprint<"/v3"> {}
app.registerBlueprint(new Versioned("/v3")).registerBlueprint(new CoreBlueprint("/core"));
export const groups: readonly Blueprint[] = [v1, named];
// @ts-expect-error an app without the features cannot register it
new CoreApp().registerBlueprint(v1);
// @ts-expect-error the App with every feature has no title
new Blueprint("/shelves").get("/", ({ app: its }) => its.state.title.length);
