// Above 250 lines: one list of facts about request bodies, each a few lines; a split would separate rows that are read together.
import assert from "node:assert/strict";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { HttpError, type LimitsConfig, PayloadTooLargeError, Response } from "@framework/core";
import { BodyStream, type RequestSource } from "@framework/core/feature";
import { readBody, type Serve } from "@framework/core/testing";
import type { Test } from "../harness/test.ts";
import { connectRaw, parseReplies, type RawReply } from "../harness/raw-client.ts";
import { echo, eventually, hello, type MakeTransport, turn, withServer } from "../harness/test-server.ts";

const NEXT = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";
const post = (fields: string, body = ""): string => `POST / HTTP/1.1\r\nHost: a\r\n${fields}\r\n\r\n${body}`;
const chunked = (body: string): string => post("Transfer-Encoding: chunked", body);

/** Wraps `serve` like the app: an error becomes a reply with its status, or with 500. */
const withErrorReplies =
  (serve: (source: RequestSource) => Promise<Response>): Serve =>
  async (source) => {
    try {
      return await serve(source);
    } catch (error) {
      const status = HttpError.is(error) ? error.status : 500;
      return Response.json({ status }, { status });
    }
  };
const collect = withErrorReplies(async (source) => Response.binary(await readBody(source, 100_000)));

const statuses = (replies: readonly RawReply[]): number[] => replies.map(({ status }) => status);

/** Bodies: framing, malformed chunks, unread remainders, expectations. */
export const bodyConformance = (test: Test, make: MakeTransport): void => {
  bodyFraming(test, make);
  badBodies(test, make);
  unreadBodies(test, make);
  expectations(test, make);
};

const bodyFraming = (test: Test, make: MakeTransport): void => {
  test("returns the body's bytes wherever the message is split, and serves the request after it", () =>
    withServer(make, { serve: collect }, async (server) => {
      const bodies = [
        post("Content-Length: 5", "hello"),
        chunked("2;x=y\r\nhe\r\n3\r\nllo\r\n0\r\nTrailer: x\r\n\r\n"),
      ];
      for (const bytes of bodies) {
        for (let at = 1; at < bytes.length; at += 3) {
          const client = await server.connect();
          await client.send(bytes.slice(0, at));
          await turn();
          await client.send(bytes.slice(at) + NEXT);
          assert.deepEqual(
            (await client.replies(2)).map(({ body }) => body),
            ["hello", ""],
          );
          client.destroy();
        }
      }
    }));

  test("does not add trailers to the header fields", () =>
    withServer(make, { serve: collect }, async (server) => {
      const client = await server.connect();
      await client.send(chunked("0\r\nAuthorization: x\r\nContent-Length: 5\r\n\r\n"));
      await client.replies(1);
      assert.equal(server.served[0]?.field("authorization"), null);
    }));

  test("reports the length of a body, and null for a chunked one", () =>
    withServer(make, {}, async (server) => {
      for (const bytes of [post("X: 1"), post("Content-Length: 3", "abc"), chunked("0\r\n\r\n")]) {
        const client = await server.connect();
        await client.send(bytes);
        await client.replies(1);
      }
      assert.deepEqual(
        server.served.map(({ bodyLength }) => bodyLength),
        [0, 3, null],
      );
    }));

  test("stops reading a body that the app does not read", () => {
    const serve: Serve = async (source) => {
      if (source.target === "/some") await source.chunks()[Symbol.asyncIterator]().next();
      return new Promise(() => {});
    };
    return withServer(make, { serve }, async (server) => {
      for (const target of ["/none", "/some"]) {
        const client = await server.connect();
        const before = server.served.length;
        void client.send(post("Content-Length: 80000000", "x".repeat(40_000_000)).replace("/", target));
        await eventually(() => server.served.length > before, "the request is served");
        await turn(200);
        assert.ok(client.socket.writableLength > 20_000_000, "the rest still waits at the client");
      }
    });
  });

  test("fails the read of a body when the client disconnects, and ends the exchange", () => {
    const seen: string[] = [];
    const serve: Serve = async (source) => {
      source.onEnd((end) => void seen.push(end));
      try {
        for await (const chunk of source.chunks()) seen.push(String(chunk.byteLength));
      } catch (error) {
        seen.push(HttpError.is(error) ? error.code : "another error");
      }
      return Response.noContent();
    };
    return withServer(make, { serve }, async (server) => {
      const client = await server.connect();
      await client.send(post("Content-Length: 10", "12345"));
      await eventually(() => seen.length === 1, "the first chunk is read");
      client.destroy();
      await eventually(() => seen.length === 3, "the exchange has ended");
      assert.deepEqual(seen.toSorted(), ["5", "CORE_CLIENT_DISCONNECTED", "aborted"]);
      await eventually(() => server.transport.connections === 0, "the connection is gone");
      assert.deepEqual([server.transport.inFlight, server.logged], [0, []]);
    });
  });

  test("rejects a second reader of a body", () => {
    const serve = withErrorReplies(async (source) => {
      const codes: unknown[] = [];
      for await (const _ of source.chunks());
      try {
        for await (const _ of source.chunks());
      } catch (error) {
        codes.push((error as { code: unknown }).code);
      }
      return Response.json(codes);
    });
    return withServer(make, { serve }, async (server) => {
      const client = await server.connect();
      await client.send(post("Content-Length: 1", "x"));
      assert.equal((await client.replies(1))[0]?.body, '["CORE_BODY_USED"]');
    });
  });
};

const badBodies = (test: Test, make: MakeTransport): void => {
  const bad: Record<string, string> = {
    "no hex digit": "g\r\n",
    "a sign": "+1\r\nx\r\n0\r\n\r\n",
    "0x": "0x1\r\nx\r\n0\r\n\r\n",
    "a blank before the size": " 1\r\nx\r\n0\r\n\r\n",
    "an underscore": "1_0\r\n",
    "a size beyond 2^64": "fffffffffffffffff\r\n",
    "LF after the size": "1\nx\r\n0\r\n\r\n",
    "LF in an extension": "1;a\nb\r\nx\r\n0\r\n\r\n",
    "data without CRLF": "1\r\nxy\r\n0\r\n\r\n",
    "LF after the data": "1\r\nx\n0\r\n\r\n",
    "no CRLF at the end": "1\r\nx\r\n0\r\nGET / HTTP/1.1\r\n\r\n",
    "endless extensions": `1;${"x".repeat(40_000)}\r\nx\r\n0\r\n\r\n`,
  };
  test("answers 400 once to a malformed chunk that the app reads, and never runs the bytes after it", () =>
    withServer(make, { serve: collect }, async (server) => {
      for (const [name, body] of Object.entries(bad)) {
        const before = server.served.length;
        const received = await server.exchange(chunked(body) + NEXT);
        assert.deepEqual(statuses(parseReplies(received, true)), [400], name);
        assert.equal(server.served.length, before + 1, name);
      }
    }));

  test("answers 400 to a malformed chunk even in the last message of a connection, without waiting", async () => {
    const lastMessages: [string, string, Partial<LimitsConfig>][] = [
      ["Connection: close", "Connection: close\r\n", {}],
      ["an Upgrade request", "Upgrade: x\r\n", {}],
      ["the last permitted request", "", { maxRequestsPerConnection: 1 }],
    ];
    for (const [name, fields, limits] of lastMessages) {
      await withServer(make, { serve: collect, limits }, async (server) => {
        const client = await server.connect();
        await client.send(post(`${fields}Transfer-Encoding: chunked`, "1\r\nx\r\n"));
        await eventually(() => server.served.length === 1, name);
        await client.send(`g\r\n${NEXT}`);
        const replies = parseReplies(await client.untilClosed(), true);
        assert.deepEqual([statuses(replies), server.served.length], [[400], 1], name);
      });
    }
  });

  test("sends only the app's reply after a malformed chunk that is not read", () =>
    withServer(make, {}, async (server) => {
      for (const [name, body] of Object.entries(bad)) {
        const received = await server.exchange(chunked(body) + NEXT);
        assert.deepEqual(statuses(parseReplies(received, true)), [200], name);
      }
      assert.equal(server.served.length, Object.keys(bad).length);
    }));
};

const unreadBodies = (test: Test, make: MakeTransport): void => {
  test("discards a small unread body and serves the next request", () =>
    withServer(make, {}, async (server) => {
      for (const [size, early] of [
        [65_536, 65_536],
        [65_536, 0],
        [10, 5],
      ] as const) {
        const client = await server.connect();
        await client.send(post(`Content-Length: ${size}`, "x".repeat(early)));
        await client.replies(1);
        await client.send("x".repeat(size - early) + NEXT);
        assert.deepEqual(statuses(await client.replies(2)), [200, 200]);
      }
    }));

  test("closes after an unread body that is large or of unknown length, and runs nothing of it", () =>
    withServer(make, {}, async (server) => {
      const large = post("Content-Length: 65537", NEXT.repeat(2000).slice(0, 65_537));
      for (const bytes of [
        large + NEXT,
        post("Content-Length: 999999999", NEXT),
        chunked(`5\r\nhello\r\n`),
      ]) {
        const replies = parseReplies(await server.exchange(bytes), true);
        assert.deepEqual(
          replies.map(({ status, fields }) => [status, fields.get("connection")]),
          [[200, "close"]],
        );
      }
      assert.equal(server.served.length, 3);
    }));

  test("a client can read an early reply completely while it still sends megabytes", () =>
    withServer(make, { serve: () => Response.text("too much", { status: 413 }) }, async (server) => {
      for (const fields of ["Content-Length: 6000000", "Transfer-Encoding: chunked"]) {
        const client = await server.connect({ staysOpen: true });
        client.socket.pause();
        const before = server.served.length;
        void client.send(post(fields, fields.startsWith("C") ? "" : "5b8d80\r\n") + "x".repeat(6_000_000));
        await eventually(() => server.served.length > before, "the request is served");
        await turn(100);
        client.socket.resume();
        const [reply, ...more] = parseReplies(await client.untilClosed(), true);
        assert.deepEqual(
          [reply?.status, reply?.body, reply?.complete, more.length, client.reset],
          [413, "too much", true, 0, false],
        );
      }
    }));

  test("reads a refused upload of megabytes to its end, for clients that read the reply only afterwards", () =>
    withServer(make, { serve: () => Response.text("too much", { status: 413 }) }, async ({ transport }) => {
      const sockets: Socket[] = [];
      const listener = createServer((socket) => {
        sockets.push(socket);
        transport.accept(socket);
      });
      await new Promise<void>((resolve) => void listener.listen(0, "127.0.0.1", resolve));
      try {
        const client = await connectRaw((listener.address() as AddressInfo).port, { staysOpen: true });
        await client.send(post("Content-Length: 8000000", "x".repeat(8_000_000)));
        await eventually(() => (sockets[0]?.bytesRead ?? 0) > 8_000_000, "the whole upload is read");
        assert.equal(parseReplies(await client.untilClosed(), true)[0]?.status, 413);
        client.destroy();
      } finally {
        listener.close();
      }
    }));

  test("stops reading from a client that keeps sending an unwanted body, and cuts its connection at the timeout", () =>
    withServer(
      make,
      {
        serve: withErrorReplies(
          async ({ target }) => (target === "/late" ? await turn() : null, Response.text("no")),
        ),
      },
      async (server) => {
        const endless = post("Content-Length: 50000000", "x");
        for (const bytes of [
          endless,
          endless.replace("/", "/late"),
          endless.replace("Host: a", "Host: a b"),
        ]) {
          const client = await server.connect({ staysOpen: true });
          await client.send(bytes);
          await client.untilClosed();
          await client.send("x".repeat(60_000));
          await turn(6);
          assert.equal(server.transport.connections, 1);
          let flushed = false;
          void client.send("x".repeat(20_000_000)).then(() => {
            flushed = !client.socket.destroyed;
          });
          await turn(100);
          assert.deepEqual([flushed, server.transport.connections], [false, 1]);
          await server.clock.advance(3000);
          await eventually(() => server.transport.connections === 0, "the connection is cut");
        }
      },
    ));

  test("the client can read a 413 completely while it still sends", () =>
    withServer(
      make,
      { serve: withErrorReplies(() => Promise.reject(new PayloadTooLargeError(1))) },
      async (server) => {
        const client = await server.connect();
        await client.send(post("Content-Length: 50000000", "x".repeat(20_000)));
        const [reply] = parseReplies(await client.untilClosed(), true);
        assert.deepEqual(
          [reply?.status, reply?.complete, reply?.fields.get("connection"), client.reset],
          [413, true, "close", false],
        );
      },
    ));

  test("continues after a body that the app reads only in part", () => {
    const serve: Serve = async (source) => {
      for await (const _ of source.chunks()) break;
      return Response.text("enough");
    };
    return withServer(make, { serve }, async (server) => {
      const client = await server.connect();
      await client.send(post("Content-Length: 20", "0123456789"));
      await client.replies(1);
      await client.send(`0123456789${NEXT}`);
      assert.deepEqual(statuses(await client.replies(2)), [200, 200]);
    });
  });

  test("fails a reader that continues after the reply was sent", () => {
    let failed: unknown;
    const serve: Serve = (source) => {
      void (async () => {
        for await (const _ of source.chunks());
      })().catch((error: unknown) => {
        failed = error;
      });
      return Response.text("early");
    };
    return withServer(make, { serve }, async (server) => {
      const client = await server.connect();
      await client.send(post("Content-Length: 20", "0123456789"));
      await client.replies(1);
      await eventually(() => failed !== undefined, "the reader fails");
      assert.ok(HttpError.is(failed) && failed.code === "CORE_BODY_OVER");
      assert.equal(failed.message, "The reply was sent before the request body was read to the end");
    });
  });
};

const expectations = (test: Test, make: MakeTransport): void => {
  const expecting = (fields = "Content-Length: 5"): string => post(`${fields}\r\nExpect: 100-Continue`);

  test("sends 100 Continue once, when the body is first read", () =>
    withServer(make, { serve: echo }, async (server) => {
      const client = await server.connect();
      await client.send(expecting());
      await client.until((received) => received.includes("\r\n\r\n"));
      assert.equal(client.received, "HTTP/1.1 100 Continue\r\n\r\n");
      await client.send(`hello${NEXT}`);
      assert.deepEqual(statuses(await client.replies(3)), [100, 200, 200]);
    }));

  test("sends the final reply instead of 100 when the body is not read, and closes", () =>
    withServer(make, {}, async (server) => {
      for (const after of ["", `hello${NEXT}`]) {
        const replies = parseReplies(await server.exchange(expecting() + after), true);
        assert.deepEqual(
          replies.map(({ status, fields }) => [status, fields.get("connection")]),
          [[200, "close"]],
        );
      }
      assert.equal(server.served.length, 2);
    }));

  test("sends no 100 within a final reply", () => {
    const serve: Serve = (source) => new Response(new BodyStream(source.chunks()));
    return withServer(make, { serve }, async (server) => {
      const client = await server.connect();
      await client.send(expecting());
      await client.until((received) => received.endsWith("\r\n\r\n"));
      await client.send(`hello${NEXT}`);
      const replies = parseReplies(await client.untilClosed(), true);
      assert.deepEqual(
        replies.map(({ status, body, fields }) => [status, body, fields.get("connection")]),
        [[200, "hello", "close"]],
      );
    });
  });

  test("sends no 100 for an empty body, in HTTP/1.0, and after the final reply", () => {
    const lateReader: Serve = (source) => {
      if (source.bodyLength !== 5) return hello(source);
      source.onEnd(
        () =>
          void source
            .chunks()
            [Symbol.asyncIterator]()
            .next()
            .catch(() => {}),
      );
      return Response.text("early");
    };
    return withServer(make, { serve: lateReader }, async (server) => {
      const old = "POST / HTTP/1.0\r\nExpect: anything\r\nContent-Length: 0\r\n\r\n";
      for (const bytes of [`${expecting("Content-Length: 0\r\nConnection: close")}`, old, expecting()]) {
        assert.deepEqual(statuses(parseReplies(await server.exchange(bytes), true)), [200]);
      }
    });
  });
};
