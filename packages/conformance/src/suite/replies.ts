// Above 250 lines: one list of facts about replies, each a few lines; a split would separate rows that are read together.
import assert from "node:assert/strict";
import { BodyStream } from "@framework/core/feature";
import type { Reply, Serve } from "@framework/core/testing";
import type { Test } from "../harness/test.ts";
import { parseReplies, type RawReply } from "../harness/raw-client.ts";
import { eventually, type MakeTransport, turn, withServer } from "../harness/test-server.ts";

const get = (target = "/", version = "1.1"): string => `GET ${target} HTTP/${version}\r\nHost: a\r\n\r\n`;
const encoder = new TextEncoder();

const stream = (chunks: Iterable<string> | AsyncIterable<string>, length: number | null = null): BodyStream =>
  new BodyStream(
    (async function* () {
      for await (const chunk of chunks) yield encoder.encode(chunk);
    })(),
    length,
  );
const reply = (
  payload: Reply["payload"],
  status = 200,
  fields: readonly string[] = ["content-type", "text/plain"],
): Reply => ({
  status,
  payload,
  fields: () => fields,
});

/** Returns the header fields without `date`, which may differ between two replies. */
const withoutDate = (found: RawReply | undefined): ReadonlyMap<string, string> =>
  new Map([...(found?.fields ?? [])].filter(([name]) => name !== "date"));

/** Replies: framing, HEAD, bodiless statuses, streams, and replies that cannot be sent. */
export const replyConformance = (test: Test, make: MakeTransport): void => {
  framing(test, make);
  dates(test, make);
  streams(test, make);
  brokenStreams(test, make);
  badReplies(test, make);
};

const framing = (test: Test, make: MakeTransport): void => {
  const payloads: Record<string, () => Reply> = {
    "an empty text": () => reply(""),
    nothing: () => reply(null),
    "a text": () => reply("héllo ☃ 😀 \ud800"),
    bytes: () => reply(new Uint8Array([0, 255, 128])),
    "a long text": () => reply("ü".repeat(200_000)),
    "long bytes": () => reply(new Uint8Array(700_000).fill(65)),
    "a stream of known length": () => reply(stream(["ab", "", "cde"], 5)),
  };
  test("sends every kind of body with its length in bytes, sync and async, and continues", () =>
    withServer(
      make,
      { serve: ({ target }) => payloads[decodeURI(target.slice(1))]?.() ?? reply(null) },
      async (server) => {
        for (const [name, payload] of Object.entries(payloads)) {
          const client = await server.connect();
          await client.send(get(`/${encodeURI(name)}`) + get(`/${encodeURI(name)}`));
          const sent = payload().payload;
          const bytes =
            sent instanceof BodyStream ? "abcde" : Buffer.from((sent ?? "") as string).toString("latin1");
          for (const { status, body, fields, complete } of await client.replies(2)) {
            assert.equal(body === bytes, true, name);
            assert.deepEqual(
              [status, complete, fields.get("content-length")],
              [200, true, String(bytes.length)],
              name,
            );
            assert.match(fields.get("date") ?? "", /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
          }
        }
      },
    ));

  test("answers HEAD without a body even if it is the only request", () =>
    withServer(make, {}, async ({ connect }) => {
      const client = await connect();
      const head = get().replace("GET", "HEAD");
      await client.send(head);
      await client.replies(1, ["HEAD"]);
      await client.send(head);
      await client.replies(2, ["HEAD", "HEAD"]);
      await client.send(get());
      const [first, second, last] = await client.replies(3, ["HEAD", "HEAD", "GET"]);
      assert.deepEqual([first?.body, second?.body, last?.body], ["", "", "hello"]);
    }));

  test("answers HEAD with GET's fields and no body, and cancels a stream", () => {
    let closed = 0;
    const chunks = {
      [Symbol.asyncIterator]: () => chunks,
      next: () => Promise.reject(new Error("not pulled")),
      return: () => {
        closed++;
        return Promise.resolve({ done: true as const, value: undefined });
      },
    };
    const serve: Serve = ({ target }) => reply(target === "/stream" ? new BodyStream(chunks, 10) : "hello");
    return withServer(make, { serve }, async (server) => {
      const client = await server.connect();
      await client.send(
        `${get("/text")}${get("/text").replace("GET", "HEAD")}${get("/stream").replace("GET", "HEAD")}`,
      );
      const [text, head, streamed] = await client.replies(3, ["GET", "HEAD", "HEAD"]);
      assert.deepEqual(withoutDate(head), withoutDate(text));
      assert.deepEqual([head?.body, streamed?.fields.get("content-length"), closed], ["", "10", 1]);
      assert.deepEqual(server.logged, []);
    });
  });

  test("refuses a malformed HEAD request with the length of the refusal, and without its body, wherever it is split", () =>
    withServer(make, {}, async ({ connect }) => {
      const lines = "Host: a\r\n";
      for (const [bytes, status] of [
        ["HEAD / HTTP/1.1\r\n\r\n", 400],
        [`HEAD / HTTP/1.1\r\n${lines} folded\r\n\r\n`, 400],
        [`HEAD / HTTP/1.1\r\n${lines}Content-Length: 1, 1\r\n\r\n`, 400],
        [`HEAD /${"x".repeat(9000)} HTTP/1.1\r\n${lines}\r\n`, 414],
        [`HEAD / HTTP/3.0\r\n${lines}\r\n`, 505],
      ] as const) {
        for (const cut of [0, 1, 4, 5, 8, 20, 30, bytes.length - 3, bytes.length - 1]) {
          const client = await connect();
          await client.send(bytes.slice(0, cut));
          await turn(6);
          if (!client.closed) await client.send(bytes.slice(cut));
          const [head = "", body] = (await client.untilClosed()).split("\r\n\r\n");
          const label = `${bytes.slice(0, 80)}, cut at ${cut}`;
          assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} [^]*content-length: [1-9]`), label);
          assert.equal(body, "", label);
        }
      }
    }));

  test("sends no body and no length with 204 and 304, and an empty body with 205", () =>
    withServer(
      make,
      { serve: ({ target }) => reply(stream(["x"]), Number(target.slice(1))) },
      async (server) => {
        const client = await server.connect();
        await client.send(get("/204") + get("/304") + get("/205") + get("/200"));
        const replies = await client.replies(4);
        assert.deepEqual(
          replies.map(({ status, fields, body }) => [
            status,
            body,
            fields.get("content-length"),
            fields.get("transfer-encoding"),
          ]),
          [
            [204, "", undefined, undefined],
            [304, "", undefined, undefined],
            [205, "", "0", undefined],
            [200, "x", undefined, "chunked"],
          ],
        );
      },
    ));

  test("drops hop-by-hop fields of a reply, and keeps repeated ones", () => {
    const fields = [
      "Content-Length",
      "99",
      "transfer-encoding",
      "gzip",
      "Date",
      "x",
      "Keep-Alive",
      "y",
      "Set-Cookie",
      "a=1",
      "set-cookie",
      "b=2",
    ];
    return withServer(make, { serve: () => reply("hi", 200, fields) }, async (server) => {
      const client = await server.connect();
      await client.send(get() + get());
      for (const { fields: sent, body } of await client.replies(2)) {
        assert.deepEqual(
          [
            body,
            sent.get("content-length"),
            sent.get("transfer-encoding"),
            sent.get("keep-alive"),
            sent.get("set-cookie"),
          ],
          ["hi", "2", undefined, undefined, "a=1, b=2"],
        );
        assert.notEqual(sent.get("date"), "x");
      }
    });
  });

  test("sends the reason phrase of a status, or of its class", () =>
    withServer(
      make,
      {
        serve: ({ target }) =>
          reply(target.endsWith("s") ? stream(["x"]) : "x", Number.parseInt(target.slice(1))),
      },
      async ({ connect }) => {
        const client = await connect();
        await client.send(
          ["/200", "/299", "/299s", "/422", "/422s", "/599"].map((target) => get(target)).join(""),
        );
        assert.deepEqual(
          (await client.replies(6)).map(({ reason }) => reason),
          ["OK", "OK", "OK", "Validation Failed", "Validation Failed", "Internal Server Error"],
        );
      },
    ));

  test("sends values without blanks around them, and numbers as text", () =>
    withServer(
      make,
      {
        serve: ({ target }) =>
          reply(target === "/s" ? stream(["x"]) : "x", 200, ["x", " a b\t", "y", 5 as unknown as string]),
      },
      async ({ connect }) => {
        const client = await connect();
        await client.send(get() + get("/s"));
        await client.replies(2);
        assert.equal(client.received.split("\r\nx: a b\r\ny: 5\r\n").length, 3, client.received);
      },
    ));

  test("sends each Latin-1 character of a field as one byte", () =>
    withServer(
      make,
      { serve: ({ target }) => reply(target === "/s" ? stream(["ü"]) : "ü", 200, ["x", "é"]) },
      async (server) => {
        const client = await server.connect();
        await client.send(get("/s") + get() + get().replace("GET", "HEAD"));
        assert.deepEqual(
          (await client.replies(3, ["GET", "GET", "HEAD"])).map(({ fields, body }) => [
            fields.get("x"),
            body,
          ]),
          [
            ["\xe9", "\xc3\xbc"],
            ["\xe9", "\xc3\xbc"],
            ["\xe9", ""],
          ],
        );
      },
    ));
};

const dates = (test: Test, make: MakeTransport): void => {
  test("keeps a valid date of a reply, and replaces any other", () => {
    const imfFixdate = "Tue, 15 Nov 1994 08:12:31 GMT";
    const rfc850Date = "Sunday, 06-Nov-94 08:49:37 GMT";
    const rows: [fields: readonly string[], date: RegExp][] = [
      [["Date", imfFixdate], new RegExp(`^${imfFixdate}$`)],
      [["date", rfc850Date, "x", "y"], new RegExp(`^${rfc850Date}$`)],
      [["DATE", imfFixdate, "date", rfc850Date], new RegExp(`^${imfFixdate}$`)],
      [["date", "now"], / 20\d\d /],
      [["date", ""], / 20\d\d /],
      [[], / 20\d\d /],
    ];
    const payloads = [() => "text", () => stream(["ab"]), () => "x".repeat(300_000), () => null];
    const serve: Serve = ({ target }) => {
      const [row, payload] = target.slice(1).split("-").map(Number);
      return reply(payloads[payload ?? 0]?.() ?? null, 200, rows[row ?? 0]?.[0] ?? []);
    };
    return withServer(make, { serve }, async (server) => {
      for (const [row, [, date]] of rows.entries()) {
        for (const payload of payloads.keys()) {
          for (const method of ["GET", "PROPFIND"]) {
            const client = await server.connect();
            await client.send(get(`/${row}-${payload}`).replace("GET", method));
            const [found] = await client.replies(1);
            assert.match(found?.fields.get("date") ?? "", date, `${row}-${payload}`);
            client.destroy();
          }
        }
      }
    });
  });
};

const streams = (test: Test, make: MakeTransport): void => {
  test("streams with chunks in HTTP/1.1 and until the close in HTTP/1.0", () =>
    withServer(make, { serve: () => reply(stream(["one ", "two ", "three"])) }, async (server) => {
      const client = await server.connect();
      await client.send(get() + get());
      const replies = await client.replies(2);
      assert.deepEqual(
        replies.map(({ body, fields }) => [
          body,
          fields.get("transfer-encoding"),
          fields.get("content-length"),
        ]),
        [
          ["one two three", "chunked", undefined],
          ["one two three", "chunked", undefined],
        ],
      );
      for (const fields of ["Connection: keep-alive", "TE: chunked"]) {
        const [old] = parseReplies(await server.exchange(`GET / HTTP/1.0\r\n${fields}\r\n\r\n`), true);
        assert.deepEqual(
          [old?.body, old?.fields.get("transfer-encoding"), old?.fields.get("connection")],
          ["one two three", undefined, "close"],
        );
      }
    }));

  test("sends each chunk as soon as it is produced, and the head before the first", () => {
    const { promise: first, resolve: giveFirst } = Promise.withResolvers<string>();
    const { promise: second, resolve: giveSecond } = Promise.withResolvers<string>();
    const chunks = async function* () {
      yield await first;
      yield await second;
    };
    return withServer(make, { serve: () => reply(stream(chunks())) }, async (server) => {
      const client = await server.connect();
      await client.send(get());
      await client.until((received) => received.endsWith("\r\n\r\n"));
      giveFirst("first");
      await client.until((received) => received.includes("first"));
      giveSecond("second");
      assert.equal((await client.replies(1))[0]?.body, "firstsecond");
    });
  });

  test("pulls a stream only as fast as the client reads, and only when its reply is next", () => {
    let pulled = 0;
    const endless = async function* () {
      for (;;) {
        pulled++;
        yield "x".repeat(65_536);
      }
    };
    let finishFirst = (): void => {};
    const serve: Serve = ({ target }) =>
      target === "/first"
        ? new Promise((resolve) => {
            finishFirst = () => resolve(reply("first"));
          })
        : reply(stream(endless()));
    return withServer(make, { serve }, async (server) => {
      const client = await server.connect();
      client.socket.pause();
      await client.send(get("/first") + get("/endless"));
      await eventually(() => server.served.length === 2, "both are served");
      await turn(20);
      assert.equal(pulled, 0);
      finishFirst();
      await eventually(() => pulled > 0, "the stream is pulled");
      await turn(300);
      const stalled = pulled;
      assert.ok(stalled < 400, `${stalled} chunks were pulled`);
      client.socket.resume();
      await eventually(() => pulled > stalled + 50, "the stream continues");
    });
  });

  test("closes a stream's source when the client disconnects, even while it is pending or has not begun", () => {
    const closed: string[] = [];
    const source = (name: string): BodyStream => {
      const chunks = {
        [Symbol.asyncIterator]: () => chunks,
        next: () => new Promise<IteratorResult<Uint8Array>>(() => {}),
        return: () => {
          closed.push(name);
          return Promise.resolve({ done: true as const, value: undefined });
        },
      };
      return new BodyStream(chunks);
    };
    const ends: string[] = [];
    const serve: Serve = (request) => {
      request.onEnd((end) => void ends.push(end));
      return reply(source(request.target));
    };
    return withServer(make, { serve }, async (server) => {
      const client = await server.connect();
      await client.send(get("/1") + get("/2"));
      await eventually(() => server.served.length === 2, "both are served");
      client.socket.resetAndDestroy();
      await eventually(() => ends.length === 2, "both end");
      assert.deepEqual(
        [closed.toSorted(), ends],
        [
          ["/1", "/2"],
          ["aborted", "aborted"],
        ],
      );
    });
  });

  test("cancels a stream whose reply becomes ready after the client has disconnected", () => {
    let returned = false;
    const chunks = {
      [Symbol.asyncIterator]: () => chunks,
      next: () => Promise.reject(new Error("not pulled")),
      return: () => {
        returned = true;
        return Promise.resolve({ done: true as const, value: undefined });
      },
    };
    const serve: Serve = (source) =>
      new Promise((resolve) => source.onEnd(() => resolve(reply(new BodyStream(chunks)))));
    return withServer(make, { serve }, async (server) => {
      const client = await server.connect();
      await client.send(get());
      await eventually(() => server.served.length === 1, "the request is served");
      client.destroy();
      await eventually(() => returned, "the stream is closed");
    });
  });

  test("reports the end of a reply, even to a listener that is added afterwards, and logs a listener that fails", () => {
    const ends: string[] = [];
    const serve: Serve = (source) => {
      source.onEnd((end) => {
        ends.push(end);
        source.onEnd((again) => void ends.push(`${again} again`));
        throw new Error("a listener fails");
      });
      return reply("x");
    };
    return withServer(make, { serve }, async (server) => {
      const client = await server.connect();
      await client.send(get());
      await client.replies(1);
      await eventually(() => ends.length === 2, "both listeners have run");
      client.destroy();
      await eventually(() => server.transport.connections === 0, "the connection is gone");
      assert.deepEqual(
        [ends, server.transport.inFlight, server.logged.length],
        [["sent", "sent again"], 0, 1],
      );
    });
  });
};

const brokenStreams = (test: Test, make: MakeTransport): void => {
  const failing = async function* () {
    yield "begun";
    throw new Error("the source broke");
  };
  const rows: Record<string, () => Reply> = {
    "an error of the source": () => reply(stream(failing())),
    "an error with known length": () => reply(stream(failing(), 10)),
    "less than the known length": () => reply(stream(["begun"], 10)),
    "more than the known length": () => reply(stream(["begun", "0123456789"], 10)),
    "a chunk that is not bytes": () =>
      reply(
        new BodyStream(
          (async function* () {
            yield encoder.encode("begun");
            yield 5 as unknown as Uint8Array;
          })(),
        ),
      ),
    "an iterator that throws immediately": () =>
      reply(
        new BodyStream({
          [Symbol.asyncIterator]: () => {
            throw new Error("no iterator");
          },
        }),
      ),
  };
  test("cuts the connection when a stream fails, so that no client treats it as complete, and logs it once", () =>
    withServer(
      make,
      { serve: ({ target }) => rows[decodeURI(target.slice(1))]?.() ?? reply(null) },
      async (server) => {
        for (const name of Object.keys(rows)) {
          server.logged.length = 0;
          const received = await server.exchange(get(`/${encodeURI(name)}`) + get());
          const [broken, ...more] = parseReplies(received, true);
          assert.equal(received.includes("begun"), name !== "an iterator that throws immediately", name);
          assert.deepEqual([broken?.complete ?? false, more.length], [false, 0], name);
          assert.deepEqual(server.logged, ["error: a streamed reply failed"], name);
        }
      },
    ));
};

const badReplies = (test: Test, make: MakeTransport): void => {
  const rows: Record<string, Serve> = {
    "CR LF in a value": () => reply("secret", 200, ["x", "a\r\nSet-Cookie: stolen=1"]),
    "LF in a value": () => reply("secret", 200, ["x", "a\nb: c"]),
    "NUL in a value": () => reply("secret", 200, ["x", "a\0b"]),
    "CR in a name": () => reply("secret", 200, ["x\r\nb: c", "a"]),
    "a blank in a name": () => reply("secret", 200, ["x y", "a"]),
    "an empty name": () => reply("secret", 200, ["", "a"]),
    "a value above U+00FF": () => reply("secret", 200, ["x", "☃"]),
    "no value": () => reply("secret", 200, ["x", undefined as unknown as string]),
    "an invalid payload": () => reply(5 as unknown as string),
    "a stream of impossible length": () => reply(stream([], -1)),
    "status 0": () => reply("secret", 0),
    "status 101": () => reply("secret", 101),
    "status 200.5": () => reply("secret", 200.5),
    "status 600": () => reply("secret", 600),
    "a thrown error": () => {
      throw new Error("secret");
    },
    "a rejection": () => Promise.reject(new Error("secret")),
    "a rejection with nothing": () => Promise.reject(undefined),
    "no reply": () => undefined as unknown as Reply,
    "fields that throw": () => ({
      status: 200,
      payload: "secret",
      fields: () => {
        throw new Error("secret");
      },
    }),
  };
  test("answers a plain 500 and closes when a reply cannot be sent", () =>
    withServer(
      make,
      { serve: (source) => (rows[decodeURI(source.target.slice(1))] as Serve)(source) },
      async (server) => {
        for (const name of Object.keys(rows)) {
          server.logged.length = 0;
          const received = await server.exchange(get(`/${encodeURI(name)}`));
          const replies = parseReplies(received, true);
          assert.deepEqual(
            replies.map(({ status, reason, complete, fields }) => [
              status,
              reason,
              complete,
              fields.get("connection"),
            ]),
            [[500, "Internal Server Error", true, "close"]],
            name,
          );
          assert.doesNotMatch(received, /secret|stolen|^b:/m);
          assert.deepEqual(server.logged, ["error: a reply could not be written"], name);
        }
      },
    ));
};
