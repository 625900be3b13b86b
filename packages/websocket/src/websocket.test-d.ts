import { App, dependency, Depends, type PathParams, type Token } from "@framework/core";
import { z } from "zod";
import { websocket, type WebSocketOptions } from "./index.ts";

const app = new (App.with(websocket))().enableWebSocket({ pingSecs: 10 });

app.websocket("/rooms/{room}", async (socket, request) => {
  const room: string = request.params.room;
  // @ts-expect-error the path has no such parameter
  void request.params.rooms;
  const message = await socket.recv();
  // @ts-expect-error the message may be null
  void message.text;
  await socket.sendText(room);
  // @ts-expect-error text only
  await socket.sendText(1);
});

app.websocket("/typed", { message: z.object({ n: z.number() }) }, async (socket) => {
  const event = await socket.receiveJson();
  const n: number | undefined = event?.n;
  // @ts-expect-error the schema has no such field
  void event?.m;
  return n;
});

// @ts-expect-error a misspelt option
app.enableWebSocket({ pingSec: 10 });
// @ts-expect-error a misspelt option of a route
app.websocket("/x", { guard: [] }, () => {});

const Db: Token<{ all(): string[] }> = dependency("db");
app.websocket("/inject", { inject: { db: Db, limit: "limit" } }, (_socket, _request, { db, limit }) => {
  const all: string[] = db.all();
  // @ts-expect-error a dependency that is injected by name has no type
  const few: number = limit;
  return [all, few];
});
app.websocket("/{id}", { inject: { db: Db }, message: z.string() }, async (socket, { params }, { db }) => {
  const text: string | null = await socket.receiveJson();
  const id: string = params.id;
  // @ts-expect-error the token has no such member
  db.none();
  return [text, id];
});
app.websocket("/each", { injectEach: { db: Db }, message: z.number() }, async (socket) => {
  await socket.each((message, { db }) => [message.text, db.all()]);
  await socket.eachJson((value, { db }) => [value.toFixed(), db.all()]);
  // @ts-expect-error the token has no such member
  await socket.each((_message, { db }) => db.none());
  // @ts-expect-error the schema's output is a number
  await socket.eachJson((value) => value.length);
});
app.websocket("/default", async (socket, _request, db = Depends(Db)) => {
  const all: string[] = db.all();
  await socket.each((message, each = Depends(Db)) => [message.text, each.all(), all]);
  // @ts-expect-error nothing is injected for each message
  await socket.each((_message, { limit }) => limit);
});
app.websocket("/options/{id}", { guards: [] }, async (_socket, { params }, db = Depends(Db)) => [
  params.id,
  db.all() satisfies string[],
]);
app.websocket("/both", { inject: { db: Db } }, (_socket, _request, { db }, other = Depends(Db)) => [
  ...db.all(),
  ...other.all(),
]);
export const wrapped = <const P extends string>(
  path: P,
  read: (params: PathParams<P>) => unknown,
  options: WebSocketOptions,
): void => {
  app.websocket(path, (_socket, request) => read(request.params));
  app.websocket(path, options, (_socket, request) => read(request.params));
};
// @ts-expect-error nothing is injected
app.websocket("/none", { protocols: ["v1"] }, (_socket, _request, { db }) => db);
// @ts-expect-error nothing is injected without options
app.websocket("/none", (_socket, _request, { db }) => db);
app.websocket("/limits", { limits: { maxMessageBytes: 10, deflate: undefined } }, () => {});
// @ts-expect-error pings are sent at the app's interval
app.websocket("/limits", { limits: { pingSecs: 1 } }, () => {});
