import assert from "node:assert/strict";
import { HttpError, Response } from "@framework/core";
import { readBody, type Serve } from "@framework/core/testing";
import type { Test } from "../harness/test.ts";
import { parseReplies, type RawClient } from "../harness/raw-client.ts";
import { type MakeTransport, type TestServer, turn, withServer } from "../harness/test-server.ts";
import { slowReaderConformance } from "./slow-readers.ts";

const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const post = (length: number): string => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;
const timeouts = { readHeaderSecs: 5, readBodySecs: 30, writeSecs: 30, idleSecs: 75 };

const read: Serve = async (source) => {
  try {
    return Response.json((await readBody(source, 1e9)).length);
  } catch (error) {
    return Response.json({}, { status: HttpError.is(error) ? error.status : 500 });
  }
};

/** Advances the clock second by second, with event loop turns in between, until the client is cut. Returns the seconds that passed. */
const advanceSeconds = async (
  { clock }: TestServer,
  client: RawClient,
  seconds: number,
  eachSecond = "",
): Promise<number> => {
  for (let second = 1; second <= seconds; second++) {
    if (eachSecond !== "") await client.send(eachSecond);
    await turn(4);
    await clock.advance(1000);
    await turn(4);
    if (client.closed) return second;
  }
  return seconds;
};

const lastReply = (client: RawClient): (number | string | undefined)[] => {
  const reply = parseReplies(client.received, client.closed).at(-1);
  return [reply?.status, reply?.fields.get("connection")];
};

/** Deadlines: heads, bodies, writes and idle connections, on a virtual clock. */
export const slowClientConformance = (test: Test, make: MakeTransport): void => {
  slowHeads(test, make);
  slowBodies(test, make);
  slowReaderConformance(test, make);
};

const slowHeads = (test: Test, make: MakeTransport): void => {
  test("answers 408 to a head that is incomplete at the timeout, however slowly it arrives", () =>
    withServer(make, { timeouts }, async (server) => {
      for (const trickle of ["", "x"]) {
        const client = await server.connect();
        await client.send("GET / HTTP/1.1\r\nX: ");
        const seconds = await advanceSeconds(server, client, 20, trickle);
        assert.ok(seconds >= 5 && seconds <= 6, `closed after ${seconds} s`);
        assert.deepEqual(lastReply(client), [408, "close"]);
      }
      assert.equal(server.served.length, 0);
    }));

  test("answers 408 to a second head that is incomplete at the timeout", () =>
    withServer(make, { timeouts }, async (server) => {
      const client = await server.connect();
      await client.send(GET);
      await client.replies(1);
      await advanceSeconds(server, client, 60);
      await client.send("GET / ");
      const seconds = await advanceSeconds(server, client, 20);
      assert.ok(seconds >= 5 && seconds <= 6, `closed after ${seconds} s`);
      assert.deepEqual(lastReply(client), [408, "close"]);
    }));

  test("answers 408 without a body to a HEAD whose fields are incomplete at the timeout", () =>
    withServer(make, { timeouts }, async (server) => {
      const client = await server.connect();
      await client.send("HEAD / HTTP/1.1\r\nHost: a\r\n");
      await advanceSeconds(server, client, 20);
      assert.match(await client.untilClosed(), /^HTTP\/1\.1 408 [^]*\r\n\r\n$/);
    }));

  test("answers 408 to an incomplete method that cannot become a known one", () =>
    withServer(make, { timeouts }, async (server) => {
      const client = await server.connect();
      await client.send("FOO");
      await advanceSeconds(server, client, 20);
      assert.deepEqual(lastReply(client), [408, "close"]);
    }));

  test("closes an idle connection silently, used or not", () =>
    withServer(make, { timeouts }, async (server) => {
      for (const [first, rest] of [
        ["", ""],
        [GET, ""],
        [post(10), "0123456789"],
      ] as const) {
        const client = await server.connect();
        await client.send(first);
        if (first !== "") await client.replies(1);
        await client.send(rest);
        await turn();
        const { received } = client;
        const seconds = await advanceSeconds(server, client, 100);
        assert.ok(seconds >= 75 && seconds <= 77, `closed after ${seconds} s`);
        assert.equal(client.received, received);
      }
    }));

  test("does not limit the time of a handler", () => {
    let finish = (): void => {};
    const serve: Serve = () =>
      new Promise((resolve) => {
        finish = () => resolve(Response.text("done"));
      });
    return withServer(make, { serve, timeouts }, async (server) => {
      const client = await server.connect();
      await client.send(GET);
      await advanceSeconds(server, client, 200);
      finish();
      assert.equal((await client.replies(1))[0]?.body, "done");
    });
  });
};

const slowBodies = (test: Test, make: MakeTransport): void => {
  test("answers 408 to a body that stops, and to one below 1 KiB/s", () =>
    withServer(make, { serve: read, timeouts }, async (server) => {
      for (const [length, eachSecond] of [
        [1_000_000, ""],
        [1_000_000, "x".repeat(500)],
        [10, ""],
      ] as const) {
        const client = await server.connect();
        await client.send(post(length));
        await turn();
        const seconds = await advanceSeconds(server, client, 100, eachSecond);
        assert.ok(seconds >= 30 && seconds <= 32, `closed after ${seconds} s`);
        assert.deepEqual(lastReply(client), [408, "close"]);
      }
    }));

  test("an initial burst gives a stalled body no more time", () =>
    withServer(make, { serve: read, timeouts }, async (server) => {
      const client = await server.connect();
      await client.send(post(2_000_000));
      await advanceSeconds(server, client, 2);
      await client.send("x".repeat(1_000_000));
      const seconds = await advanceSeconds(server, client, 100);
      assert.ok(seconds >= 28 && seconds <= 40, `closed after ${seconds} s`);
      assert.deepEqual(lastReply(client), [408, "close"]);
    }));

  test("waits for a body as long as 1 KiB/s arrives, and no longer", () =>
    withServer(make, { serve: read, timeouts }, async (server) => {
      const client = await server.connect();
      await client.send(post(1_000_000));
      assert.equal(await advanceSeconds(server, client, 100, "x".repeat(1100)), 100);
      assert.equal(client.received, "");
      const seconds = await advanceSeconds(server, client, 100);
      assert.ok(seconds <= 12, `closed ${seconds} s after it stopped`);
      assert.deepEqual(lastReply(client), [408, "close"]);
    }));

  test("measures the time of each body on a connection separately", () =>
    withServer(make, { serve: read, timeouts }, async (server) => {
      const client = await server.connect();
      for (const count of [1, 2, 3]) {
        await client.send(post(10));
        assert.equal(await advanceSeconds(server, client, 20), 20);
        await client.send("0123456789");
        await client.replies(count);
      }
    }));

  test("does not time out the client while the app does not read", () => {
    let resume = (): void => {};
    const serve: Serve = async (source) => {
      await new Promise<void>((resolve) => {
        resume = resolve;
      });
      return read(source);
    };
    return withServer(make, { serve, timeouts }, async (server) => {
      const client = await server.connect();
      await client.send(`${post(10)}01234`);
      await advanceSeconds(server, client, 100);
      resume();
      await advanceSeconds(server, client, 10);
      await client.send("56789");
      assert.equal((await client.replies(1))[0]?.body, "10");
    });
  });

  test("cuts a connection when the rest of an unread body does not arrive", () =>
    withServer(make, { timeouts }, async (server) => {
      const client = await server.connect();
      await client.send(`${post(10)}01234`);
      await client.replies(1);
      const seconds = await advanceSeconds(server, client, 100);
      assert.ok(seconds >= 30 && seconds <= 32, `closed after ${seconds} s`);
      assert.equal(parseReplies(client.received, true).length, 1);
    }));
};
