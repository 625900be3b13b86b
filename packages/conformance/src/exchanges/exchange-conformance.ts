// Above 250 lines: one list of facts, each a few lines; a split would separate rows that are read together.
import assert from "node:assert/strict";
import { Response } from "@framework/core";
import { BodyStream, type RequestSource } from "@framework/core/feature";
import { readBody, type Reply, type Serve } from "@framework/core/testing";
import { createExchangeRecorder } from "../harness/exchange-recorder.ts";
import type { Test } from "../harness/test.ts";
import {
  eventually,
  type MakeTransport,
  type ServerSetup,
  type TestServer,
  turn,
  withServer,
} from "../harness/test-server.ts";
import type { ClientReply, ConnectExchangeClient, ExchangeClient } from "./exchange-client.ts";

const encoder = new TextEncoder();
const stream = (chunks: Iterable<string> | AsyncIterable<string>, length: number | null = null): BodyStream =>
  new BodyStream(
    (async function* () {
      for await (const chunk of chunks) yield encoder.encode(chunk);
    })(),
    length,
  );
const makeReply = (payload: Reply["payload"], status = 200, fields: readonly string[] = []): Reply => ({
  status,
  payload,
  fields: () => fields,
});
const readAll = async (source: RequestSource): Promise<Reply> =>
  Response.text(String((await readBody(source, 1e9)).byteLength));

/** Resolves some event loop turns after the end of an exchange. */
const untilEnded = async (source: RequestSource): Promise<void> => {
  await new Promise<void>((resolve) => source.onEnd(() => resolve()));
  await turn(2);
};

interface ExchangeSuite {
  readonly test: Test;
  /** Runs a test with a server and one connection to it. */
  with(setup: ServerSetup, run: (client: ExchangeClient, server: TestServer) => Promise<void>): Promise<void>;
}

/**
 * Declares the tests that every transport passes, whatever its protocol: they check requests and replies instead of bytes.
 *
 * @param test the runner's `test`
 * @param make creates the transport under test
 * @param connect creates a client of its protocol
 */
export const exchangeConformance = (
  test: Test,
  make: MakeTransport,
  connect: ConnectExchangeClient,
): void => {
  const suite: ExchangeSuite = {
    test,
    with: (setup, run) =>
      withServer(make, setup, async (server) => {
        const client = connect(server.port, make.ca);
        try {
          await run(client, server);
        } finally {
          client.destroy();
        }
      }),
  };
  requests(suite);
  replies(suite);
  brokenReplies(suite);
  bodies(suite);
  disconnects(suite);
  refusals(suite);
  endings(suite);
};

const requests = (suite: ExchangeSuite): void => {
  suite.test("passes method, target, authority, address and fields as received", () =>
    suite.with({}, async (client, { served }) => {
      await client.send({
        method: "DELETE",
        path: "/a%20b?c=d&c",
        fields: { "x-one": "1", cookie: "a=b; c=d" },
      });
      const [source] = served;
      const { method, target, authority, remoteAddress, bodyLength } = source as RequestSource;
      assert.deepEqual(
        { method, target, authority, remoteAddress, bodyLength },
        {
          method: "DELETE",
          target: "/a%20b?c=d&c",
          authority: "a",
          remoteAddress: "127.0.0.1",
          bodyLength: 0,
        },
      );
      assert.deepEqual(
        ["x-one", "cookie", "host", "none"].map((name) => source?.field(name)),
        ["1", "a=b; c=d", "a", null],
      );
    }),
  );

  suite.test("reports the end of an exchange as sent, and stops counting it as in flight", () => {
    const ends: string[] = [];
    const serve: Serve = (source) => {
      source.onEnd((end) => ends.push(end));
      return Response.text("x");
    };
    return suite.with({ serve }, async (client, { transport }) => {
      for (let count = 0; count < 3; count++) await (await client.send()).text();
      await eventually(() => ends.length === 3 && transport.inFlight === 0, "all exchanges have ended");
      assert.deepEqual(ends, ["sent", "sent", "sent"]);
    });
  });

  suite.test("sends interim replies before the reply, and none after it", () => {
    let source: RequestSource | undefined;
    const serve: Serve = async (received) => {
      source = received;
      assert.equal(received.inform?.(103, ["link", "</a.css>; rel=preload", "link", "</b.js>"]), true);
      await turn(2);
      return Response.text("x");
    };
    return suite.with({ serve }, async (client) => {
      const { reply, interim, body } = client.open();
      body.end();
      assert.equal(await (await reply).text(), "x");
      assert.deepEqual([interim, source?.inform?.(103, [])], [[103], false]);
    });
  });
};

const replies = (suite: ExchangeSuite): void => {
  const payloads: Record<string, () => Reply> = {
    empty: () => makeReply(""),
    none: () => makeReply(null),
    text: () => makeReply("héllo ☃ 😀 \ud800"),
    bytes: () => makeReply(new Uint8Array([0, 255, 128])),
    "long-text": () => makeReply("ü".repeat(200_000)),
    "long-bytes": () => makeReply(new Uint8Array(700_000).fill(65)),
    "known-stream": () => makeReply(stream(["ab", "", "cde"], 5)),
    "unknown-stream": () => makeReply(stream(["ab", "", "cde"])),
    "empty-stream": () => makeReply(stream([])),
  };
  const serve: Serve = ({ target }) => payloads[target.slice(1)]?.() ?? makeReply(null, 404);
  const bytesOf = async (payload: Reply["payload"]): Promise<string> => {
    if (!(payload instanceof BodyStream)) return Buffer.from((payload ?? "") as string).toString("latin1");
    let text = "";
    for await (const chunk of payload.chunks) text += Buffer.from(chunk).toString("latin1");
    return text;
  };

  suite.test(
    "sends every kind of body completely, with its length if known, and the same fields for HEAD",
    () =>
      suite.with({ serve }, async (client) => {
        for (const [name, make] of Object.entries(payloads)) {
          const expected = await bytesOf(make().payload);
          const reply = await client.send({ path: `/${name}` });
          assert.equal(await reply.text(), expected, name);
          const isStream = name === "unknown-stream" || name === "empty-stream";
          assert.equal(reply.fields["content-length"], isStream ? undefined : String(expected.length), name);
          const head = await client.send({ method: "HEAD", path: `/${name}` });
          assert.equal(await head.text(), "", name);
          assert.deepEqual(withoutFraming(head), withoutFraming(reply), name);
        }
      }),
  );

  suite.test("sends the declared length of a reply without a body to HEAD, and 0 to GET", () => {
    const declared: Reply = { status: 200, payload: null, fields: () => ["Content-Length", "1234"] };
    return suite.with({ serve: () => declared }, async (client) => {
      for (const [method, length] of [
        ["HEAD", "1234"],
        ["GET", "0"],
        ["HEAD", "1234"],
      ] as const) {
        const reply = await client.send({ method, path: "/" });
        assert.deepEqual([reply.fields["content-length"], await reply.text()], [length, ""]);
      }
    });
  });

  suite.test("sends no body with 204, 205 and 304, and cancels their streams", () => {
    let cancelled = 0;
    const source = new BodyStream({
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.reject(new Error("must not be read")),
        return: () => (cancelled++, Promise.resolve({ done: true, value: undefined })),
      }),
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an iterable whose own `return` cancels it
      return: () => (cancelled++, Promise.resolve()),
    } as unknown as AsyncIterable<Uint8Array>);
    const statuses = [204, 205, 304];
    return suite.with(
      { serve: ({ target }) => makeReply(source, Number(target.slice(1))) },
      async (client) => {
        for (const status of statuses) {
          const reply = await client.send({ path: `/${status}` });
          assert.deepEqual([reply.status, await reply.text()], [status, ""]);
        }
        assert.equal(cancelled, 3);
      },
    );
  });

  suite.test("keeps repeated fields, and drops connection fields", () => {
    const fields = [
      "Set-Cookie",
      "a=1",
      "set-cookie",
      "b=2",
      "X-Name",
      "1",
      "Transfer-Encoding",
      "gzip",
      "TE",
      "x",
    ];
    return suite.with({ serve: () => makeReply("x", 200, fields) }, async (client) => {
      const reply = await client.send();
      assert.equal(await reply.text(), "x");
      assert.deepEqual(
        [
          Array.from(reply.fields["set-cookie"] ?? []),
          reply.fields["x-name"],
          reply.fields["te"],
          reply.fields["transfer-encoding"],
        ],
        [["a=1", "b=2"], "1", undefined, undefined],
      );
      assert.match(String(reply.fields["date"]), /GMT$/);
    });
  });

  for (const size of [1000, 20_000, 60_000]) {
    suite.test(
      `sends each chunk of ${size} bytes with the content it had when produced, to a slow client`,
      () => {
        const count = Math.ceil(10_000_000 / size);
        let pulled = 0;
        const chunks = async function* (): AsyncGenerator<Uint8Array, void> {
          const memory = new Uint8Array(size);
          for (pulled = 0; pulled < count; pulled++) yield memory.fill(pulled % 251);
        };
        return suite.with({ serve: () => makeReply(new BodyStream(chunks())) }, async (client) => {
          const { body } = await client.send();
          for (let before = -1; pulled > before; await turn(10)) before = pulled; // until the system's buffers are full
          assert.ok(pulled < count, "the system buffers the whole reply to a client that does not read");
          const parts: Buffer[] = [];
          for await (const part of body as AsyncIterable<Buffer>) parts.push(part);
          const bytes = Buffer.concat(parts);
          const expected = Buffer.alloc(count * size);
          for (let at = 0; at < count; at++) expected.fill(at % 251, at * size, (at + 1) * size);
          assert.equal(bytes.byteLength, expected.byteLength);
          assert.ok(bytes.equals(expected), "a chunk was sent with later content");
        });
      },
    );
  }

  suite.test("sends a stream while it is produced", () => {
    const more = Promise.withResolvers<void>();
    const serveSlowly: Serve = () =>
      makeReply(
        stream(
          (async function* () {
            yield "one";
            await more.promise;
            yield "two";
          })(),
        ),
      );
    return suite.with({ serve: serveSlowly }, async (client) => {
      const reply = await client.send();
      const first = await new Promise<Buffer>((resolve) => void reply.body.once("data", resolve));
      assert.equal(first.toString(), "one");
      more.resolve();
      assert.equal(await reply.text(), "two");
    });
  });
};

const brokenReplies = (suite: ExchangeSuite): void => {
  const broken: Record<string, Serve> = {
    "a malformed field value": () => makeReply("x", 200, ["x-name", "a\r\nb: c"]),
    "a malformed field name": () => makeReply("x", 200, ["x name", "a"]),
    "a bad status": () => makeReply("x", 700),
    "an interim status": () => makeReply("x", 101),
    "a bad payload": () => makeReply(5 as unknown as string),
    "a thrown error": () => {
      throw new Error("planted");
    },
    "a rejection": () => Promise.reject(new Error("planted")),
  };
  for (const [name, serve] of Object.entries(broken)) {
    suite.test(`sends a plain 500 and logs one line for ${name}`, () =>
      suite.with({ serve }, async (client, { logged }) => {
        const reply = await client.send();
        assert.equal(reply.status, 500);
        assert.doesNotMatch(await reply.text(), /planted/);
        assert.deepEqual(logged, ["error: a reply could not be written"]);
      }),
    );
  }

  const streams: Record<string, () => BodyStream> = {
    fails: () =>
      stream(
        (async function* () {
          yield "one";
          await turn(1);
          throw new Error("planted");
        })(),
      ),
    "is longer than declared": () => stream(["one", "two"], 4),
    "is shorter than declared": () => stream(["one"], 4),
    "yields text instead of bytes": () =>
      new BodyStream(
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a program may yield anything
        (async function* () {
          yield "text" as unknown as Uint8Array;
        })(),
      ),
  };
  for (const [name, make] of Object.entries(streams)) {
    suite.test(`does not present a stream that ${name} as complete`, () =>
      suite.with({ serve: () => makeReply(make()) }, async (client, { logged, transport }) => {
        await assert.rejects(client.send().then((reply) => reply.text()));
        await eventually(() => transport.inFlight === 0, "the exchange has ended");
        assert.deepEqual(logged, ["error: a streamed reply failed"]);
      }),
    );
  }
};

const bodies = (suite: ExchangeSuite): void => {
  suite.test("reads short and long bodies, with and without a length", () =>
    suite.with({ serve: readAll }, async (client) => {
      for (const length of [0, 1, 65_535, 65_536, 65_537, 3_000_000]) {
        const body = "x".repeat(length);
        const whole = await client.send({ method: "POST", body });
        assert.equal(await whole.text(), String(length));
        const { reply, body: sink } = client.open({ method: "POST" });
        sink.end(body);
        assert.equal(await (await reply).text(), String(length));
      }
    }),
  );

  suite.test("ends an empty body for a late reader", () => {
    const serve: Serve = async (source) => {
      await turn(20);
      return readAll(source);
    };
    return suite.with({ serve }, async (client, { served }) => {
      const { reply, body } = client.open({ method: "POST" });
      await eventually(() => served.length === 1, "the request is served");
      body.end();
      assert.equal(await (await reply).text(), "0");
    });
  });

  for (const [disconnect, isWhole] of [
    ["has disconnected", false],
    ["has disconnected after the whole body", true],
  ] as const)
    suite.test(`fails the body of a late reader whose client ${disconnect}`, () => {
      const errors: unknown[] = [];
      const serve: Serve = async (source) => {
        await untilEnded(source);
        return readAll(source).catch((error: unknown) => {
          errors.push((error as { code: string }).code);
          return Response.text("this reply is never read");
        });
      };
      return suite.with({ serve }, async (client, { served, clock }) => {
        const { body, cancel } = client.open({ method: "POST" });
        body.on("error", () => {});
        if (isWhole) body.end("x");
        else body.write("x");
        await eventually(() => served.length === 1, "the request is served");
        await turn(10);
        cancel();
        await turn(10);
        await clock.advance(5000);
        await eventually(() => errors.length > 0, "the body has failed");
        assert.deepEqual(errors, ["CORE_CLIENT_DISCONNECTED"]);
      });
    });

  suite.test("does not keep a slow reader waiting if the client disconnects after the whole body", () => {
    let text = "";
    const read = Promise.withResolvers<string>();
    const serve: Serve = async (source) => {
      try {
        for await (const chunk of source.chunks()) {
          text += Buffer.from(chunk).toString();
          await untilEnded(source);
        }
        read.resolve(text); // the transport has buffered the whole body
      } catch (error) {
        read.resolve((error as { code: string }).code);
      }
      return Response.text("this reply is never read");
    };
    return suite.with({ serve }, async (client, { clock }) => {
      const { body, cancel } = client.open({ method: "POST" });
      body.on("error", () => {});
      body.write("x");
      await eventually(() => text === "x", "the body is read");
      body.end("y");
      await turn(10);
      cancel();
      await turn(10);
      await clock.advance(5000);
      assert.match(await read.promise, /^(CORE_CLIENT_DISCONNECTED|xy)$/);
    });
  });

  suite.test("fails a reader that begins after the reply, instead of giving it an empty body", () => {
    const read = Promise.withResolvers<unknown>();
    const serve: Serve = (source) => {
      void untilEnded(source).then(() => read.resolve(readAll(source).catch((error: unknown) => error)));
      return Response.text("early");
    };
    return suite.with({ serve }, async (client, { served }) => {
      const { reply, body } = client.open({ method: "POST" });
      body.on("error", () => {});
      body.end("x");
      assert.equal(await (await reply).text(), "early");
      assert.equal(served.length, 1);
      assert.equal(((await read.promise) as { code?: string }).code, "CORE_BODY_OVER");
    });
  });

  suite.test("delivers a short body to the app in one chunk", () =>
    suite.with({ serve: (source) => Response.text(String(source.buffered?.byteLength)) }, async (client) => {
      assert.equal(await (await client.send({ method: "POST", body: "x".repeat(9000) })).text(), "9000");
    }),
  );

  suite.test("passes chunks on as they arrive", () => {
    const seen: string[] = [];
    const serve: Serve = async (source) => {
      for await (const chunk of source.chunks()) seen.push(Buffer.from(chunk).toString());
      return Response.text("x");
    };
    return suite.with({ serve }, async (client) => {
      const { reply, body } = client.open({ method: "POST" });
      for (const part of ["one", "two", "three"]) {
        body.write(part);
        await eventually(() => seen.join("").endsWith(part), `the part ${part} has arrived`);
      }
      body.end();
      await (await reply).text();
    });
  });

  suite.test("stops receiving a body that is not read", () => {
    const serve: Serve = (source) =>
      new Promise((resolve) => source.onEnd(() => resolve(Response.text("x"))));
    return suite.with({ serve }, async (client, { served }) => {
      const { body } = client.open({ method: "POST" });
      body.on("error", () => {});
      let taken = 0;
      const piece = Buffer.alloc(65_536);
      const write = (): void =>
        void body.write(piece, (error) => error ?? ((taken += piece.length), write()));
      write();
      await eventually(() => served.length === 1, "the request is served");
      let before = -1;
      while (before !== taken) {
        before = taken;
        await turn(200);
      }
      assert.ok(taken < 30_000_000, `${taken} bytes were taken`);
    });
  });

  suite.test("sends 100 only when the body is read", () => {
    const serve: Serve = (source) =>
      source.target === "/read" ? readAll(source) : Response.text("no", { status: 401 });
    return suite.with({ serve }, async (client) => {
      const fields = { expect: "100-continue", "content-length": "3" };
      const read = client.open({ method: "POST", path: "/read", fields });
      read.reply.catch((error: unknown) => assert.fail(String(error)));
      await eventually(() => read.interim.length === 1, "100 has arrived");
      read.body.end("abc");
      assert.deepEqual([await (await read.reply).text(), read.interim], ["3", [100]]);
      const refused = client.open({ method: "POST", path: "/no", fields });
      assert.deepEqual([(await refused.reply).status, refused.interim], [401, []]);
    });
  });

  suite.test("sends a reply before the body is read, and the client receives it", () => {
    const serve: Serve = () => Response.text("too large", { status: 413 });
    return suite.with({ serve }, async (client) => {
      const { reply, body } = client.open({ method: "POST", fields: { "content-length": "900000" } });
      body.on("error", () => {});
      body.write("x".repeat(1000));
      assert.deepEqual([(await reply).status, await (await reply).text()], [413, "too large"]);
    });
  });

  suite.test("fails a body that arrives too slowly with 408", () => {
    const serve: Serve = async (source) => {
      try {
        return await readAll(source);
      } catch (error) {
        return Response.text("slow", { status: (error as { status: number }).status });
      }
    };
    return suite.with({ serve, timeouts: { readBodySecs: 5 } }, async (client, { clock, served }) => {
      const { reply, body } = client.open({ method: "POST" });
      body.on("error", () => {});
      body.write("x");
      await eventually(() => served.length === 1, "the request is served");
      await turn(4);
      await clock.advance(8000);
      assert.equal((await reply).status, 408);
    });
  });
};

const disconnects = (suite: ExchangeSuite): void => {
  const paths = ["/never", "/stream", "/flood", "/silent", "/read"];
  const ways = ["client cancels it", "connection ends"].flatMap((cause) =>
    paths.map((path) => [cause, path] as const),
  );
  for (const [cause, path] of ways) {
    suite.test(`releases everything of an exchange whose ${cause}: ${path}`, () => {
      const recorder = createExchangeRecorder();
      return suite.with({ serve: recorder.serve }, async (client, { transport, logged, clock }) => {
        const { reply, body, cancel } = client.open({ method: path === "/read" ? "POST" : "GET", path });
        body.on("error", () => {});
        if (path === "/read") body.write("x".repeat(100));
        else body.end();
        await eventually(() => recorder.begun === 1, "the request is served");
        if (path !== "/never" && path !== "/read") await reply;
        await turn(4);
        if (cause === "client cancels it") cancel();
        else client.destroy();
        await turn(10);
        await clock.advance(5000); // a half-closed client may still read: only inactivity shows that it is gone
        await eventually(() => recorder.ends.length === 1 && recorder.open === 0, "everything has ended");
        assert.equal(recorder.ends[0]?.end, "aborted");
        if (path === "/read") assert.deepEqual(recorder.readErrors, ["CORE_CLIENT_DISCONNECTED"]);
        assert.deepEqual([transport.inFlight, recorder.doublyClosed, logged], [0, 0, []]);
      });
    });
  }

  suite.test("cancels the stream of a reply that becomes ready after the client has disconnected", () => {
    let cancelled = false;
    const serve: Serve = (source) =>
      new Promise((resolve) => {
        const body = new BodyStream(
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an iterable whose own `return` cancels it
          { return: () => ((cancelled = true), Promise.resolve()) } as unknown as AsyncIterable<Uint8Array>,
        );
        source.onEnd(() => setImmediate(() => resolve(makeReply(body))));
      });
    return suite.with({ serve }, async (client, { served }) => {
      const { body, cancel } = client.open();
      body.on("error", () => {});
      body.end();
      await eventually(() => served.length === 1, "the request is served");
      cancel();
      await eventually(() => cancelled, "the stream is cancelled");
    });
  });
};

const refusals = (suite: ExchangeSuite): void => {
  const limits = { maxHeaderBytes: 1000, maxHeaderFields: 20, maxRequestLine: 200 };
  const many = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`x-${at}`, "1"]));
  const rows: Record<string, [number, { path?: string; fields?: Record<string, string | string[]> }]> = {
    "too many fields": [431, { fields: many }],
    "fields above the size limit": [431, { fields: { "x-long": "x".repeat(1200) } }],
    "a target above the size limit": [414, { path: `/${"x".repeat(300)}` }],
    "an unknown expectation": [417, { fields: { expect: "magic" } }],
    "a target with a fragment": [400, { path: "/a#b" }],
  };
  for (const [name, [status, request]] of Object.entries(rows)) {
    suite.test(`refuses ${name} with ${status}, without a handler`, () =>
      suite.with({ limits }, async (client, { served }) => {
        const reply = await client.send(request);
        assert.deepEqual([reply.status, served.length], [status, 0]);
        await reply.text();
      }),
    );
  }
};

const endings = (suite: ExchangeSuite): void => {
  suite.test("drains: finishes the request in flight, and closes the connection", () => {
    const hold = Promise.withResolvers<Reply>();
    return suite.with({ serve: () => hold.promise }, async (client, { transport, clock, served }) => {
      const reply = client.send();
      await eventually(() => served.length === 1, "the request is served");
      const closed = transport.close(60_000);
      await clock.advance(5000);
      assert.equal(transport.inFlight, 1);
      hold.resolve(Response.text("late"));
      assert.equal(await (await reply).text(), "late");
      await client.closed;
      await eventually(() => transport.connections === 0, "the connection is gone");
      assert.deepEqual(await closed, { cut: 0 });
    });
  });

  suite.test("cuts and counts exchanges that are in flight at the deadline", () =>
    suite.with({ serve: () => new Promise(() => {}) }, async (client, { transport, clock, served }) => {
      const reply = client.send();
      reply.catch(() => {});
      await eventually(() => served.length === 1, "the request is served");
      const closed = transport.close(3000);
      await clock.advance(4000);
      assert.deepEqual(await closed, { cut: 1 });
      await assert.rejects(reply);
    }),
  );

  suite.test("closes an idle connection after its timeout", () =>
    suite.with({ timeouts: { idleSecs: 10 } }, async (client, { transport, clock }) => {
      await (await client.send()).text();
      await turn(4);
      await clock.advance(8000);
      await turn(4);
      assert.equal(transport.connections, 1);
      await clock.advance(6000);
      await client.closed;
    }),
  );

  suite.test("cuts a client that does not read its reply", () => {
    const recorder = createExchangeRecorder();
    return suite.with({ serve: recorder.serve, timeouts: { writeSecs: 5 } }, async (client, { clock }) => {
      const reply = await client.send({ path: "/flood" });
      reply.body.on("error", () => {});
      reply.body.pause();
      await eventually(() => recorder.begun === 1, "the request is served");
      for (let secs = 0; secs < 12 && recorder.ends.length === 0; secs++) {
        await turn(50);
        await clock.advance(1000);
      }
      await eventually(() => recorder.ends.length === 1 && recorder.open === 0, "the exchange has ended");
      assert.equal(recorder.ends[0]?.end, "aborted");
    });
  });
};

/** Returns the header fields, except fields that depend on the time and framing of the reply. */
const withoutFraming = ({ fields }: ClientReply): object => {
  const {
    date: _date,
    connection: _connection,
    "transfer-encoding": _coding,
    ":status": _status,
    ...rest
  } = fields;
  return { ...rest, "keep-alive": undefined };
};
