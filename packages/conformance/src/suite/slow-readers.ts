import assert from "node:assert/strict";
import { Response } from "@framework/core";
import type { Serve } from "@framework/core/testing";
import { connectSlowReader, type SlowReader } from "../harness/slow-reader.ts";
import type { Test } from "../harness/test.ts";
import { eventually, type MakeTransport, type TestServer, turn, withServer } from "../harness/test-server.ts";

const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const timeouts = { readHeaderSecs: 5, readBodySecs: 30, writeSecs: 30, idleSecs: 75 };

/** Clients that read replies too slowly, or slowly but steadily. */
export const slowReaderConformance = (test: Test, make: MakeTransport): void => {
  const large = 30_000_000;
  test("cuts a connection whose client does not read", () => {
    const ends: string[] = [];
    const serve: Serve = (source) => {
      source.onEnd((end) => void ends.push(end));
      return Response.text("x".repeat(large));
    };
    return withServer(make, { serve, timeouts }, async (server) => {
      const client = await server.connect();
      client.socket.pause();
      await client.send(GET);
      await eventually(() => server.served.length === 1, "the request is served");
      await turn(300); // until the kernel's buffers are full
      let seconds = 0;
      for (; seconds < 100 && server.transport.connections > 0; seconds++) {
        await server.clock.advance(1000);
        await turn(10);
      }
      assert.ok(seconds >= 30 && seconds <= 33, `cut after ${seconds} s`);
      assert.deepEqual(ends, ["aborted"]);
      client.socket.resume(); // after an ordinary close the system would still send what it has buffered
      await client.untilClosed();
      if (make.ca === undefined) assert.ok(client.reset, "the connection was reset"); // Node cannot reset TLS
    });
  });

  const patterns: readonly ReadingPattern[] = [
    {
      description: "300 bytes of a 5 MB reply each second",
      size: 5_000_000,
      perRead: 300,
      everySecs: 1,
      writeSecs: 30,
    },
    {
      description: "3,000 bytes of a 5 MB reply every 10 s",
      size: 5_000_000,
      perRead: 3000,
      everySecs: 10,
      writeSecs: 30,
    },
    {
      description: "29,000 bytes of a 5 MB reply once",
      size: 5_000_000,
      perRead: 29_000,
      everySecs: 1000,
      writeSecs: 30,
    },
    // Every read receives bytes; only the average is below the minimum rate. The reply exceeds 33 MB, because Linux may grow a receive buffer to that size,
    // and a reply that fits into the buffers has no write timeout.
    {
      description: "6 MB of a 60 MB reply every 20,000 s",
      size: 60_000_000,
      perRead: 6_000_000,
      everySecs: 20_000,
      writeSecs: 24_000,
    },
  ];
  for (const pattern of patterns) {
    for (const halfCloses of [false, true]) {
      test(`cuts a ${halfCloses ? "half-closed " : ""}client that reads ${pattern.description}, at the write timeout`, () =>
        expectCut(make, pattern, halfCloses));
    }
  }

  test("serves a client that reads slowly but steadily", () =>
    withServer(make, { serve: () => Response.text("x".repeat(large)), timeouts }, async (server) => {
      const client = await server.connect();
      client.socket.pause();
      await client.send(GET);
      await eventually(() => server.served.length === 1, "the request is served");
      for (let second = 0; second < 80; second++) {
        await server.clock.advance(1000);
        if (second % 20 === 0) {
          // More than the kernel's buffers hold: the socket becomes writable only when a large part of them is empty.
          const enough = client.received.length + 6_000_000;
          client.socket.resume();
          await eventually(() => client.received.length > enough || client.closed, "a part is read");
          client.socket.pause();
          await turn(10);
        }
      }
      client.socket.resume();
      assert.equal((await client.replies(1))[0]?.body.length, large);
    }));
};

/** Reading pattern of a slow client. */
interface ReadingPattern {
  readonly description: string;
  /** Bytes of the reply. */
  readonly size: number;
  readonly perRead: number;
  readonly everySecs: number;
  readonly writeSecs: number;
}

const expectCut = (make: MakeTransport, pattern: ReadingPattern, halfCloses: boolean): Promise<void> => {
  const { size, perRead, everySecs, writeSecs } = pattern;
  const ends: string[] = [];
  const serve: Serve = (source) => {
    source.onEnd((end) => void ends.push(end));
    return Response.text("x".repeat(size));
  };
  return withServer(make, { serve, timeouts: { ...timeouts, writeSecs } }, async (server) => {
    const reader = await connectSlowReader(server.port, perRead, make.ca);
    reader.write(GET);
    await eventually(() => server.served.length === 1, "the request is served");
    if (halfCloses) reader.end();
    await turn(300); // until the kernel's buffers are full
    const seconds = await readSlowly(server, reader, pattern);
    // The kernel's buffers may grow once while the client waits; the bytes that then fit count as read. Only reads of megabytes cause this.
    const dueSecs = perRead < 1_000_000 || seconds < writeSecs * 2 ? writeSecs : writeSecs * 2;
    assert.ok(seconds >= dueSecs && seconds <= dueSecs * 1.1, `cut after ${seconds} s`);
    assert.deepEqual(ends, ["aborted"]);
    const expected = perRead * Math.ceil(seconds / everySecs);
    const limit = expected * 1.1; // reads take whole buffers
    assert.ok(
      reader.bytesRead >= expected * 0.9 && reader.bytesRead <= limit,
      `read ${reader.bytesRead} of ${expected}`,
    );
    reader.destroy();
  });
};

/** Lets a client read every `everySecs` until its connection is cut. Returns the seconds until then. */
const readSlowly = async (
  { clock, transport }: TestServer,
  reader: SlowReader,
  { everySecs, writeSecs }: ReadingPattern,
): Promise<number> => {
  const step = writeSecs / 30;
  for (let second = 0; second < 3 * writeSecs; second += step) {
    if (transport.connections === 0) return second;
    if (second % everySecs === 0) await reader.read();
    await turn(20);
    await clock.advance(step * 1000);
    await turn(4);
  }
  return Infinity;
};
