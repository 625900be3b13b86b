import { expect, test } from "@jest/globals";
import { collect, serve } from "./socket-app.test-kit.ts";

test("the option http handles requests without an upgrade, after the guards", async () => {
  await using s = await serve((app) => {
    const guards = [({ query }: { query: { has(name: string): boolean } }) => query.has("key")];
    app.websocket("/", { guards, http: ({ path }) => `HTTP ${path}` }, (socket) => socket.sendText("socket"));
  });
  const [open, refused] = [await fetch(`${s.url}/?key`), await fetch(`${s.url}/`)];
  expect([await open.text(), refused.status]).toEqual(["HTTP /", 403]);
  const { texts, closed } = collect(await s.open("/?key"));
  await closed;
  expect(texts).toEqual(["socket"]);
});
