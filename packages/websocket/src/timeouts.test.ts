import type { Socket } from "node:net";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import type { WebSocket } from "ws";
import { collect, serve } from "./socket-app.test-kit.ts";

/** Stops a client from reading, so that it answers no pings. */
const silence = (client: WebSocket): void => {
  (client as unknown as { readonly _socket: Socket })._socket.pause();
};

test("a silent client is disconnected when its timeout expires, also between two pings", async () => {
  const ended: string[] = [];
  await using s = await serve((app) => {
    app.enableWebSocket({ pingSecs: 3 });
    app.websocket("/echo", async (socket) => {
      for await (const message of socket) await socket.send(message);
    });
    for (const [path, timeoutSecs] of [
      ["/short", 3.1],
      ["/long", 5.9],
    ] as const)
      app.websocket(path, { limits: { timeoutSecs } }, async (socket) => {
        await socket.recv();
        ended.push(path);
      });
  });
  const other = await s.open("/echo");
  for (const path of ["/short", "/long"]) silence(await s.open(path));
  await waitFor(() => ended.length > 0);
  const { texts } = collect(other);
  for (let trips = 1; trips <= 4; trips++) {
    other.send("x");
    await waitFor(() => texts.length === trips);
  }
  expect(ended).toEqual(["/short"]);
});
