import { App, Blueprint, dependency, type Token } from "@framework/core";
import { z } from "zod";
import { websocket, type WebSocketMethods } from "./index.ts";

class ChatApp extends App.with(websocket) {
  constructor() {
    super();
    this.websocket("/own/{id}", (_socket, { params, app }) => [params.id satisfies string, app.room("a")]);
    this.registerBlueprint(orgs);
  }
}

const orgs = new (Blueprint.with(websocket))("/orgs/{org}", { tags: ["chat"] });

// Parameters of prefix and path are typed; messages and injections are typed as on an app.
orgs.websocket("/rooms/{room}", async (socket, { params, app }) => {
  params satisfies { readonly org: string; readonly room: string };
  // @ts-expect-error neither the prefix nor the path has such a parameter
  void params.user;
  app.room(params.room);
  const message = await socket.recv();
  // @ts-expect-error the message may be null
  void message.text;
});
const Db: Token<{ all(): string[] }> = dependency("db");
orgs.websocket(
  "/typed",
  { message: z.object({ n: z.number() }), inject: { db: Db }, guards: [() => true] },
  async (socket, { params }, { db }) => {
    const event = await socket.receiveJson();
    return [event?.n satisfies number | undefined, params.org, db.all()];
  },
);
// @ts-expect-error a misspelt option
orgs.websocket("/x", { guard: [] }, () => {});
orgs.get("/{id}", ({ params, app }) => [params.org, params.id, app.room("a")]);

new ChatApp().registerBlueprint(orgs);
new (App.with(websocket))().registerBlueprint(new Blueprint("/api")).registerBlueprint(orgs);

// @ts-expect-error the app lacks the feature
new App().registerBlueprint(orgs);
// @ts-expect-error the enclosing blueprint's app lacks the feature
new Blueprint("/api").registerBlueprint(orgs);
new (Blueprint.with(websocket))("/api").registerBlueprint(orgs).registerBlueprint(new Blueprint("/v1"));
const api: Blueprint<"/api", App & WebSocketMethods> = new Blueprint("/api");
api.registerBlueprint(orgs);

// @ts-expect-error a blueprint has the feature's route methods, not the others
orgs.room("a");
// @ts-expect-error a blueprint that was not composed with the feature
new Blueprint("/api").websocket("/x", () => {});

// A subclass of Blueprint
class Rooms extends Blueprint.with(websocket)<"/rooms/{room}"> {
  constructor() {
    super("/rooms/{room}");
    this.websocket("/{id}", (_socket, { params, app }) => [params.room, params.id, app.room("a")]);
  }
}
new ChatApp().registerBlueprint(new Rooms());

// The app's class as the second type argument, instead of the default `App` with the features' methods
const own = new (Blueprint.with(websocket))<"/own", ChatApp>("/own");
own.websocket("/{id}", (_socket, { params, app }) => (app satisfies ChatApp) && params.id);
new ChatApp().registerBlueprint(own);

// Functions over any app with the feature
const generic = <A extends App & WebSocketMethods>(app: A): void => {
  app.websocket("/x/{id}", (_socket, { params, app: self }) => [params.id, self.room("a"), app.room("a")]);
};
generic(new ChatApp());
const plain = (app: WebSocketMethods): void => {
  app.websocket("/x/{id}", (_socket, { params, app: self }) => [params.id satisfies string, self.room("a")]);
};
plain(new ChatApp());
