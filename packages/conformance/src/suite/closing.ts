import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { Response } from "@framework/core";
import type { Serve } from "@framework/core/testing";
import type { Test } from "../harness/test.ts";
import { connectRaw, parseReplies } from "../harness/raw-client.ts";
import { eventually, type MakeTransport, turn, withServer } from "../harness/test-server.ts";

const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

/** Listeners, accepted sockets, drain and close. */
export const closingConformance = (test: Test, make: MakeTransport): void => {
  test("rejects with the system's error when the port is in use", () =>
    withServer(make, {}, async ({ port }) =>
      withServer(make, {}, async ({ transport }) => {
        await assert.rejects(transport.listen({ host: "127.0.0.1", port }), { code: "EADDRINUSE" });
      }),
    ));

  test("takes over a socket whose first bytes were read and put back", () =>
    withServer(make, {}, async ({ transport }) => {
      const listener = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
        socket.once("data", (bytes: Buffer) => {
          socket.pause();
          socket.unshift(bytes);
          transport.accept(socket);
        });
        socket.resume();
      });
      await new Promise<void>((resolve) => void listener.listen(0, "127.0.0.1", resolve));
      const { port } = listener.address() as { port: number };
      const client = await connectRaw(port);
      await client.send(GET);
      await client.replies(1);
      await client.send(GET + GET);
      assert.equal((await client.replies(3)).length, 3);
      client.destroy();
      await new Promise((resolve) => void listener.close(resolve));
    }));

  test("takes over a paused socket that was never read", () =>
    withServer(make, {}, async ({ transport }) => {
      const listener = createServer({ pauseOnConnect: true }, (socket) => transport.accept(socket));
      await new Promise<void>((resolve) => void listener.listen(0, "127.0.0.1", resolve));
      const client = await connectRaw((listener.address() as { port: number }).port);
      await client.send(GET);
      assert.equal((await client.replies(1))[0]?.body, "hello");
      client.destroy();
      await new Promise((resolve) => void listener.close(resolve));
    }));

  test("drains: accepts no more connections, finishes pending requests, sends close, answers one more request on idle connections", () => {
    let finish = (): void => {};
    const serve: Serve = ({ target }) =>
      target === "/slow"
        ? new Promise((resolve) => {
            finish = () => resolve(Response.text("slow"));
          })
        : Response.text("quick");
    return withServer(make, { serve, drainIdleMs: 1000 }, async ({ transport, port, clock, connect }) => {
      const [busy, used, unused, idle] = [await connect(), await connect(), await connect(), await connect()];
      await busy.send(GET.replace("/", "/slow"));
      await used.send(GET);
      await idle.send(GET);
      await Promise.all([used.replies(1), idle.replies(1)]);
      await eventually(() => transport.inFlight === 1 && transport.connections === 4, "one request runs");

      const closed = transport.close(30_000);
      await assert.rejects(connectRaw(port));
      await used.send(GET + GET);
      const replies = parseReplies(await used.untilClosed(), true);
      assert.deepEqual(
        replies.map(({ fields }) => fields.get("connection") === "close"),
        replies.map((_, at) => at > 0 && at === replies.length - 1),
      );
      assert.ok(replies.length >= 2);
      assert.deepEqual([unused.closed, idle.closed], [false, false]);
      await clock.advance(1000);
      await Promise.all([unused.untilClosed(), idle.untilClosed()]);

      finish();
      const [slow] = parseReplies(await busy.untilClosed(), true);
      assert.deepEqual([slow?.body, slow?.fields.get("connection")], ["slow", "close"]);
      assert.deepEqual(await closed, { cut: 0 });
    });
  });

  test("cuts and counts exchanges that are unfinished at the deadline", () => {
    const ends: string[] = [];
    const serve: Serve = (source) => {
      source.onEnd((end) => void ends.push(end));
      return new Promise(() => {});
    };
    return withServer(make, { serve }, async ({ transport, clock, connect }) => {
      const [one, two] = [await connect(), await connect()];
      await one.send(GET + GET);
      await two.send(GET);
      await eventually(() => transport.inFlight === 3, "three requests run");
      const closed = transport.close(5000);
      await clock.advance(4999);
      await turn(4);
      assert.deepEqual([transport.inFlight, one.closed], [3, false]);
      await clock.advance(1);
      assert.deepEqual(await closed, { cut: 3 });
      await eventually(() => ends.length === 3, "all exchanges end");
      assert.deepEqual(
        [ends, transport.inFlight, transport.connections],
        [["aborted", "aborted", "aborted"], 0, 0],
      );
    });
  });

  test("answers a request that arrives while the process pauses for longer than the idle time of a drain", () =>
    withServer(make, { drainIdleMs: 20, hasRealClock: true }, async ({ transport, connect }) => {
      const client = await connect();
      await client.send(GET);
      await client.replies(1);
      const closed = transport.close(30_000);
      void client.send(GET); // it is in the server's socket in this turn
      for (const end = performance.now() + 50; performance.now() < end;); // a pause
      const replies = parseReplies(await client.untilClosed(), true);
      assert.deepEqual(
        replies.map(({ body }) => body),
        ["hello", "hello"],
      );
      assert.deepEqual(await closed, { cut: 0 });
    }));

  test("keeps a new connection without a request for its first second, however short a drain's idle time is", () =>
    withServer(make, { drainIdleMs: 50 }, async ({ transport, clock, connect }) => {
      const spare = await connect(); // like a browser's preconnect
      await clock.advance(1500);
      const [fresh, silent, used] = [await connect(), await connect(), await connect()];
      await used.send(GET);
      await used.replies(1);
      await eventually(() => transport.connections === 4, "all are accepted");
      const closed = transport.close(30_000);
      await clock.advance(50);
      await Promise.all([spare.untilClosed(), used.untilClosed()]);
      await clock.advance(949);
      assert.deepEqual([fresh.closed, silent.closed], [false, false]);
      await fresh.send(GET);
      const [reply] = parseReplies(await fresh.untilClosed(), true);
      assert.deepEqual([reply?.body, reply?.fields.get("connection")], ["hello", "close"]);
      await clock.advance(1);
      assert.equal(await silent.untilClosed(), "");
      assert.deepEqual(await closed, { cut: 0 });
    }));

  test("serves a socket that is passed to it during a drain, and closes it when it stays idle", () =>
    withServer(make, { drainIdleMs: 100 }, async ({ transport, clock }) => {
      const listener = createServer((socket) => transport.accept(socket));
      await new Promise<void>((resolve) => void listener.listen(0, "127.0.0.1", resolve));
      transport.drain();
      await clock.advance(100);
      const { port } = listener.address() as { port: number };
      const [busy, idle] = [await connectRaw(port), await connectRaw(port)];
      await busy.send(GET);
      const [reply] = parseReplies(await busy.untilClosed(), true);
      assert.deepEqual([reply?.body, reply?.fields.get("connection")], ["hello", "close"]);
      await eventually(() => transport.connections > 0, "the idle one was taken over");
      await clock.advance(2000); // a second for its first request, and the sweep after it
      assert.equal(await idle.untilClosed(), "");
      await new Promise((resolve) => void listener.close(resolve));
    }));

  test("closes immediately when no connection is open", () =>
    withServer(make, {}, async ({ transport }) => {
      assert.deepEqual(await transport.close(60_000), { cut: 0 });
      assert.deepEqual(await transport.close(0), { cut: 0 });
    }));

  test("ends sockets that are passed to it after it closed, and ignores closed ones", () =>
    withServer(make, {}, async ({ transport }) => {
      const sockets: Socket[] = [];
      const listener = createServer((socket) => void sockets.push(socket));
      await new Promise<void>((resolve) => void listener.listen(0, "127.0.0.1", resolve));
      const { port } = listener.address() as { port: number };
      const [gone, remaining] = [await connectRaw(port), await connectRaw(port)];
      await eventually(() => sockets.length === 2, "both sockets are accepted");
      sockets[0]?.destroy();
      await gone.untilClosed();
      for (const socket of sockets.slice(0, 1)) transport.accept(socket);
      assert.equal(transport.connections, 0);
      await transport.close(0);
      for (const socket of sockets.slice(1)) transport.accept(socket);
      assert.equal(await remaining.untilClosed(), "");
      assert.equal(transport.connections, 0);
      await new Promise((resolve) => void listener.close(resolve));
    }));
};
