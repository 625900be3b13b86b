import { waitFor } from "@framework/testing";
import type { Socket } from "node:net";
import { WebSocket } from "ws";
import { expect, test } from "@jest/globals";
import { collect, serve } from "./socket-app.test-kit.ts";

test("a sender that awaits its sends waits for a stalled client; sends that are not awaited close the connection", async () => {
  let sent = 0;
  let maxBuffered = 0;
  const over = Promise.withResolvers<unknown>();
  await using s = await serve((app) => {
    app.enableWebSocket({ maxSendQueueBytes: 400_000, closeWaitSecs: 0.1 });
    app.websocket("/awaiting", async (socket) => {
      for (;;) {
        await socket.sendText("x".repeat(100_000));
        sent++;
        maxBuffered = Math.max(maxBuffered, socket.bufferedBytes);
      }
    });
    app.websocket("/unawaited", async (socket) => {
      const sends = Array.from({ length: 200 }, () => socket.sendText("x".repeat(100_000)));
      over.resolve((await Promise.allSettled(sends)).at(-1));
    });
  });
  const awaiting = await s.open("/awaiting");
  awaiting.pause();
  let before = -1;
  await waitFor(
    async () => {
      const still = before === sent;
      before = sent;
      await new Promise((resolve) => setImmediate(resolve));
      return still && sent > 0;
    },
    { intervalMs: 100 },
  );
  expect(maxBuffered).toBeLessThan(400_000);
  const unawaited = await s.open("/unawaited");
  unawaited.pause();
  expect(await over.promise).toMatchObject({ status: "rejected", reason: { code: "WEBSOCKET_CLOSED" } });
});

test.each([1000, 100_000])(
  "a sender that awaits its sends may send a message of any size after small ones, with a queue of %d bytes",
  async (maxSendQueueBytes) => {
    await using s = await serve((app) => {
      app.enableWebSocket({ maxSendQueueBytes, deflate: true });
      app.websocket("/", async (socket) => {
        // The first messages are still being compressed when the next are sent.
        for (const size of [2000, 900, 5000, 200_000, 10, 200_000]) await socket.sendText("x".repeat(size));
      });
    });
    const { texts, closed } = collect(await s.open("/", { deflate: true }));
    expect(await closed).toEqual([1000, ""]);
    expect(texts.map((text) => text.length)).toEqual([2000, 900, 5000, 200_000, 10, 200_000]);
  },
);

test("while a message larger than the queue is being written, other messages may fill the whole queue", async () => {
  const ended: unknown[] = [];
  await using s = await serve((app) => {
    app.enableWebSocket({ maxSendQueueBytes: 400_000, closeWaitSecs: 0.1 });
    app.websocket("/{count}", async (socket, { params }) => {
      const large = socket.sendBinary(new Uint8Array(30_000_000));
      const sends = Array.from({ length: Number(params.count) }, () => socket.sendText("x".repeat(100_000)));
      ended.push(
        (await Promise.allSettled([...sends, large])).filter(({ status }) => status === "rejected").length,
      );
    });
  });
  const { texts, closed } = collect(await s.open("/4"));
  expect([await closed, texts.length]).toEqual([[1000, ""], 5]);
  const slow = await s.open("/5");
  slow.pause();
  await waitFor(() => ended.length === 2);
  expect(ended).toEqual([0, 6]);
});

test("a client is paused while its handler does not read, and no message is lost", async () => {
  const go = Promise.withResolvers<void>();
  const seen: number[] = [];
  await using s = await serve((app) => {
    app.enableWebSocket({ maxReceiveQueueBytes: 50_000 });
    app.websocket("/", async (socket) => {
      await go.promise;
      for await (const message of socket) seen.push(message.data.byteLength);
    });
  });
  const client = await s.open("/");
  for (let n = 0; n < 300; n++) client.send("x".repeat(100_000));
  await waitFor(() => client.bufferedAmount > 1_000_000, {
    subject: "bytes that remain in the client's buffer",
  });
  go.resolve();
  await waitFor(() => seen.length === 300);
  expect(seen.every((size) => size === 100_000)).toBe(true);
});

/** Runs a trial, and measures the longest time for which the event loop of server and clients was blocked. */
const withLag = async <T>(trial: () => Promise<T>): Promise<{ readonly seen: T; readonly lagMs: number }> => {
  let last = performance.now();
  let lagMs = 0;
  const tick = (): void => {
    const now = performance.now();
    lagMs = Math.max(lagMs, now - last);
    last = now;
  };
  const ticks = setInterval(tick, 50);
  try {
    const seen = await trial();
    tick();
    return { seen, lagMs };
  } finally {
    clearInterval(ticks);
  }
};

/** Runs three clients of an app with a timeout of two seconds: one sends pongs, one is silent, and one sends a long message piece by piece. */
const heartbeats = async (): Promise<readonly unknown[]> => {
  const ends: unknown[] = [];
  const pausable = (client: WebSocket): Socket => (client as unknown as { _socket: Socket })._socket;
  await using s = await serve((app) => {
    app.enableWebSocket({ pingSecs: 0.25, timeoutSecs: 2 });
    app.websocket("/{name}", async (socket, { params }) => {
      const message = await socket.recv();
      ends.push([params.name, message?.data.length ?? socket.closed?.code]);
    });
  });
  const alive = await s.open("/alive");
  const pings: number[] = [];
  alive.on("ping", () => pings.push(1));
  const dead = await s.open("/dead");
  pausable(dead).pause();
  const slow = pausable(await s.open("/slow")).pause();
  slow.on("error", () => {}); // the server may terminate the connection; `ends` has the reason
  slow.write(Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0])); // a binary message of 65,535 bytes
  let left = 65_535;
  const part = (): void => void slow.write(Buffer.alloc(left >= 1000 ? ((left -= 10), 10) : 0));
  const parts = setInterval(part, 50);
  await waitFor(() => ends.length > 0 && pings.length > 5);
  clearInterval(parts);
  slow.write(Buffer.alloc(left));
  await waitFor(() => ends.length > 1);
  return [...ends]; // stopping the service closes the others
};

test("a client that ignores pings is disconnected; clients that send pongs or a long message are not", async () => {
  let trial = await withLag(heartbeats);
  while (trial.lagMs > 1000) trial = await withLag(heartbeats); // the machine was blocked, so every client seemed silent
  expect(trial.seen).toEqual([
    ["dead", 1006],
    ["slow", 65_535],
  ]);
});

/**
 * Runs three clients of an app with a timeout of two seconds. One sends more than the limits of the queues and reads nothing, one reads a long message slowly,
 * and one waits for a handler that is busy for longer.
 */
const backpressure = async (): Promise<readonly unknown[]> => {
  const ends: unknown[] = [];
  const free = Promise.withResolvers<void>();
  const raw = (client: WebSocket): Socket => (client as unknown as { _socket: Socket })._socket;
  await using s = await serve((app) => {
    app.enableWebSocket({ pingSecs: 0.25, timeoutSecs: 2 });
    app.websocket("/hog", async (socket) => {
      for await (const message of socket) await socket.send(message).catch(() => {});
      ends.push(["hog", socket.closed?.code]);
    });
    app.websocket("/long", async (socket) => {
      await socket.sendBinary(new Uint8Array(40_000_000));
    });
    app.websocket("/busy", async (socket) => {
      await free.promise;
      let read = 0;
      while (read < 20) read += (await socket.recv()) === null ? 20 : 1;
      ends.push(["busy", read]);
    });
  });
  const hog = await s.open("/hog");
  hog.pause();
  for (let n = 0; n < 30; n++) hog.send(new Uint8Array(1_000_000));
  const busy = await s.open("/busy");
  let pings = 0;
  busy.on("ping", () => pings++);
  for (let n = 0; n < 20; n++) busy.send(new Uint8Array(1_000_000));
  const long = await s.open("/long");
  const { texts, closed } = collect(long);
  const socket = raw(long).pause();
  let taken = 0;
  socket.on("data", ({ byteLength }: Buffer) => (taken += byteLength) > 600_000 && socket.pause());
  const parts = setInterval(() => ((taken = 0), socket.resume()), 50);
  const [code] = await closed;
  clearInterval(parts);
  ends.push(["long", code, texts.length]);
  await waitFor(() => pings > 12);
  free.resolve();
  await waitFor(() => ends.length === 3);
  return [...ends];
};

test("a client that reads none of its queued bytes is disconnected; clients that read slowly or wait for their handler are not", async () => {
  let trial = await withLag(backpressure);
  while (trial.lagMs > 1000) trial = await withLag(backpressure);
  expect(trial.seen).toEqual([
    ["hog", 1006],
    ["long", 1000, 1],
    ["busy", 20],
  ]);
});

test("too many control frames close the connection with 1008", async () => {
  await using s = await serve((app) => {
    app.enableWebSocket({ maxControlFramesPerSec: 20 });
    app.websocket("/", async (socket) => {
      await socket.recv();
    });
  });
  const client = await s.open("/");
  const { closed } = collect(client);
  for (let n = 0; n < 200; n++) client.ping();
  expect((await closed)[0]).toBe(1008);
});

test("every configuration mistake is reported at start", async () => {
  const starts = serve((app) => {
    app.enableWebSocket({ pingSecs: -1, origins: ["app.example"], pings: 1 } as never);
    app.websocket("/", () => {});
  });
  await expect(starts).rejects.toThrow(/"pings"[\s\S]*pingSecs[\s\S]*origins/);
});
