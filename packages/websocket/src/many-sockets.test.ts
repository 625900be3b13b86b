import { once } from "node:events";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { serve } from "./socket-app.test-kit.ts";

test("clients that never read use bounded memory, and are closed", async () => {
  const ends: (number | undefined)[] = [];
  let bytes = 0;
  await using s = await serve((app) => {
    app.enableWebSocket({ maxSendQueueBytes: 65_536, closeWaitSecs: 0.2 });
    app.websocket("/flood", async (socket) => {
      try {
        for (;;) {
          const send = socket.sendText("x".repeat(10_000));
          bytes = Math.max(bytes, socket.bufferedBytes);
          send.catch(() => {});
          if (!socket.connected) break;
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        await socket.close();
        ends.push(socket.closed?.code);
      }
    });
    app.websocket("/echo", async (socket) => {
      for await (const message of socket) await socket.send(message);
    });
  });
  const stuck = await Promise.all(Array.from({ length: 50 }, () => s.open("/flood")));
  for (const client of stuck) client.pause();
  const echoClient = await s.open("/echo");
  for (let n = 0; n < 100; n++) {
    echoClient.send(String(n));
    const [data] = (await once(echoClient, "message")) as [Buffer];
    expect(data.toString()).toBe(String(n));
  }
  await waitFor(() => ends.length === stuck.length);
  expect(bytes).toBeLessThanOrEqual(65_536 + 10_100);
  expect(new Set(ends)).toEqual(new Set([1006]));
});

test("a handler that only sends yields to the event loop, even if its client reads fast", async () => {
  let [turns, counting] = [0, true];
  const count = (): void => {
    turns++;
    if (counting) setImmediate(count);
  };
  const sentAll = Promise.withResolvers<number>();
  await using s = await serve((app) => {
    app.websocket("/flood", async (socket) => {
      setImmediate(count);
      for (let n = 0; n < 1000; n++) await socket.sendText("x".repeat(1000)); // the socket's send buffer accepts all of it
      counting = false;
      sentAll.resolve(turns);
    });
  });
  await s.open("/flood");
  expect(await sentAll.promise).toBeGreaterThan(10);
});
