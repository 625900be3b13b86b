// Above 250 lines: one list of facts about Upgrade requests, each a few lines.
import assert from "node:assert/strict";
import { Response, type Upgrade, type UpgradedConnection } from "@framework/core";
import { BodyStream, type RequestSource } from "@framework/core/feature";
import type { Serve } from "@framework/core/testing";
import type { Test } from "../harness/test.ts";
import { parseReplies, type RawClient } from "../harness/raw-client.ts";
import { eventually, type MakeTransport, type TestServer, turn, withServer } from "../harness/test-server.ts";

const get = (target: string, fields = ""): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;

/** The handshake request of a WebSocket client. */
export const upgradeRequest: string = get(
  "/chat",
  "Connection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n",
);

/** Serves the other protocol of these tests: sends hello, then echoes everything in capitals, and sends "bye" when the service drains. */
export const uppercaseEcho = ({ socket, head, fields, draining }: UpgradedConnection): void => {
  let lines = "HTTP/1.1 101 Switching Protocols\r\n";
  for (let at = 0; at < fields.length; at += 2) lines += `${fields[at]}: ${fields[at + 1]}\r\n`;
  socket.write(`${lines}\r\nhello;`);
  const echo = (bytes: Uint8Array): void =>
    void socket.write(Buffer.from(bytes).toString("latin1").toUpperCase());
  if (head.byteLength > 0) echo(head);
  socket.on("data", echo);
  socket.on("end", () => socket.end());
  const bye = (): void => void socket.end("bye");
  if (draining.aborted) bye();
  else draining.addEventListener("abort", bye);
};

/** Returns the upgrade offer of a request. @throws if there is none */
export const offeredUpgrade = ({ upgrade: offer }: RequestSource): Upgrade => {
  assert.ok(offer !== undefined, "the request offers no upgrade");
  return {
    accept(begin) {
      offer.accept(begin);
      return Response.switchingProtocols();
    },
  };
};
const accept: Serve = (source) => offeredUpgrade(source).accept(uppercaseEcho);

/** Creates an app that accepts or refuses an upgrade on demand. */
const appOnDemand = (): {
  serve: Serve;
  decide: (reply: (upgrade: Upgrade) => Response) => void;
  ends: string[];
} => {
  const { promise, resolve } = Promise.withResolvers<(upgrade: Upgrade) => Response>();
  const ends: string[] = [];
  const serve: Serve = async (source) => {
    source.onEnd((end) => void ends.push(end));
    return (await promise)(offeredUpgrade(source));
  };
  return { serve, decide: resolve, ends };
};

const open = async (server: TestServer, after = ""): Promise<RawClient> => {
  const client = await server.connect({ staysOpen: true });
  await client.send(upgradeRequest + after);
  await client.until((received) => received.includes("hello;"));
  return client;
};

/** Upgrade requests: acceptance, the accepted protocol, and the end of HTTP. */
export const upgradeConformance = (test: Test, make: MakeTransport): void => {
  acceptedUpgrades(test, make);
  refusedUpgrades(test, make);
  undecidedUpgrades(test, make);
  endOfLife(test, make);
};

const acceptedUpgrades = (test: Test, make: MakeTransport): void => {
  test("passes on the connection of an accepted upgrade and ends its request", () => {
    const ends: string[] = [];
    const serve: Serve = (source) => {
      source.onEnd((end) => void ends.push(end));
      assert.deepEqual(
        [source.method, source.target, source.authority, source.bodyLength, source.field("upgrade")],
        ["GET", "/chat", "a", 0, "WebSocket"],
      );
      return accept(source);
    };
    return withServer(make, { serve }, async (server) => {
      const client = await open(server);
      assert.match(client.received, /^HTTP\/1\.1 101 Switching Protocols\r\n\r\nhello;$/);
      await client.send("abc");
      await client.until((received) => received.endsWith("ABC"));
      assert.deepEqual([ends, server.transport.inFlight, server.transport.connections], [["sent"], 0, 1]);
    });
  });

  test("passes every byte after an accepted Upgrade request to the other protocol", () => {
    const { serve, decide } = appOnDemand();
    return withServer(make, { serve }, async (server) => {
      const client = await server.connect({ staysOpen: true });
      await client.send(`${upgradeRequest}one `);
      await eventually(() => server.served.length === 1, "the request is served");
      await client.send("two ");
      await turn(4);
      decide((upgrade) => upgrade.accept(uppercaseEcho));
      await client.send("three");
      assert.match(await client.until((received) => received.endsWith("THREE")), /\r\nhello;ONE TWO THREE$/);
    });
  });

  test("buffers bytes that arrive before an upgrade is decided, and loses none", () => {
    const { serve, decide } = appOnDemand();
    const large = "x".repeat(20_000_000);
    return withServer(make, { serve }, async (server) => {
      const client = await server.connect({ staysOpen: true });
      await client.send(upgradeRequest);
      await eventually(() => server.served.length === 1, "the request is served");
      let flushed = false;
      void client.send(`${large}!`).then(() => {
        flushed = true;
      });
      await turn(100);
      assert.equal(flushed, false);
      decide((upgrade) => upgrade.accept(uppercaseEcho));
      // The length first: comparing joins all parts received so far.
      const received = await client.until((text) => text.length > large.length && text.endsWith("!"));
      assert.equal(received.length - received.indexOf("hello;"), "hello;".length + large.length + 1);
    });
  });

  test("passes on the fields of the reply to an accepted upgrade, without hop-by-hop fields", () => {
    const serve: Serve = (source) =>
      offeredUpgrade(source)
        .accept(uppercaseEcho)
        .setHeader("x-request-id", "1")
        .setHeader("content-length", "5")
        .setHeader("connection", "close")
        .appendHeader("set-cookie", "a=b");
    return withServer(make, { serve }, async (server) => {
      const client = await open(server);
      const head = client.received.slice(0, client.received.indexOf("\r\n\r\n"));
      assert.equal(head, "HTTP/1.1 101 Switching Protocols\r\nx-request-id: 1\r\nset-cookie: a=b");
    });
  });

  test("sets no timeout for an accepted upgrade, but counts its connection", () =>
    withServer(make, { serve: accept, limits: { maxConnections: 1 } }, async (server) => {
      const client = await open(server);
      await server.clock.advance(1_000_000);
      await turn(4);
      await client.send("still here");
      await client.until((received) => received.endsWith("STILL HERE"));
      const second = await server.connect();
      assert.equal(await second.untilClosed(), "");
      client.end();
      await eventually(() => server.transport.connections === 0, "the connection is gone");
    }));

  test("serves other requests of a client before its Upgrade request", () =>
    withServer(
      make,
      { serve: (source) => (source.upgrade === undefined ? Response.text("plain") : accept(source)) },
      async (server) => {
        const client = await server.connect({ staysOpen: true });
        await client.send(get("/1"));
        await client.replies(1);
        await client.send(upgradeRequest);
        await client.until((received) => received.endsWith("hello;"));
        await client.send("abc");
        await client.until((received) => received.endsWith("ABC"));
      },
    ));
};

const refusedUpgrades = (test: Test, make: MakeTransport): void => {
  const replies: Record<string, [(upgrade: Upgrade) => Response, number, string]> = {
    "a refusal": [() => Response.json({ error: "no" }, { status: 401 }), 401, '{"error":"no"}'],
    "a streamed reply": [() => new Response(new BodyStream(pieces(), null)), 200, "onetwo"],
    "a long reply": [() => Response.text("x".repeat(500_000)), 200, "x".repeat(500_000)],
    "no body": [() => Response.noContent(), 204, ""],
    "an upgrade whose accepting reply was replaced": [
      (upgrade) => (upgrade.accept(uppercaseEcho), Response.text("too many", { status: 503 })),
      503,
      "too many",
    ],
    "426, which names the protocol": [
      () => new Response("speak", { status: 426, headers: { upgrade: "websocket" } }),
      426,
      "speak",
    ],
  };
  for (const [name, [reply, status, body]] of Object.entries(replies)) {
    test(`answers over HTTP and closes when an upgrade is not accepted: ${name}`, () =>
      withServer(
        make,
        { serve: async (source) => (await turn(1), reply(offeredUpgrade(source))) },
        async (server) => {
          const client = await server.connect();
          await client.send(upgradeRequest + get("/after"));
          const [first, ...more] = parseReplies(await client.untilClosed(), true);
          assert.deepEqual(
            [first?.status, first?.body === body, first?.complete, more],
            [status, true, true, []],
          );
          const closing = status === 426 ? "close, upgrade" : "close";
          assert.equal(first?.fields.get("connection"), closing);
          assert.equal(first?.fields.get("upgrade"), status === 426 ? "websocket" : undefined);
          assert.deepEqual([server.served.length, server.logged, client.reset], [1, [], false]);
          await eventually(
            () => server.transport.connections === 0 && server.transport.inFlight === 0,
            "the connection is gone",
          );
        },
      ));
  }

  test("names the protocol in a 426 even without an Upgrade request", () =>
    withServer(
      make,
      { serve: () => new Response("", { status: 426, headers: { upgrade: "websocket" } }) },
      async (server) => {
        const [reply] = parseReplies(await server.exchange(get("/")), true);
        assert.deepEqual(
          [reply?.fields.get("upgrade"), reply?.fields.get("connection")],
          ["websocket", "close, upgrade"],
        );
      },
    ));

  test("answers 500 to a 101 without an accepted upgrade, and logs it", () =>
    withServer(make, { serve: () => Response.switchingProtocols() }, async (server) => {
      for (const bytes of [upgradeRequest, get("/")]) {
        const [reply, ...more] = parseReplies(await server.exchange(bytes), true);
        assert.deepEqual([reply?.status, more.length], [500, 0]);
      }
      assert.deepEqual(server.logged, Array(2).fill("error: a reply could not be written"));
    }));

  test("cuts the connection when the other protocol fails at its start, logs it, and ends the exchange as aborted", () => {
    const ends: string[] = [];
    const serve: Serve = (source) => {
      source.onEnd((end) => void ends.push(end));
      return offeredUpgrade(source).accept(() => {
        throw new Error("no");
      });
    };
    return withServer(make, { serve }, async (server) => {
      assert.equal(await server.exchange(upgradeRequest), "");
      assert.deepEqual(server.logged, ["error: a reply could not be written"]);
      assert.deepEqual(ends, ["aborted"]);
      await eventually(
        () => server.transport.connections === 0 && server.transport.inFlight === 0,
        "the connection is gone",
      );
    });
  });

  test("treats every request that is not exactly a WebSocket handshake as HTTP", () =>
    withServer(make, { serve: (source) => Response.text(typeof source.upgrade) }, async (server) => {
      const fields = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
      for (const bytes of [
        get("/", "Upgrade: websocket\r\n"),
        get("/", "Connection: Upgrade\r\nUpgrade: h2c\r\n"),
        get("/", "Connection: Upgrade\r\nUpgrade: websocket, h2c\r\n"),
        get("/", `${fields}Content-Length: 3\r\n`) + "abc",
        get("/", `${fields}Transfer-Encoding: chunked\r\n`) + "0\r\n\r\n",
        get("/", `${fields}Expect: 100-continue\r\n`),
        get("/", fields).replace("GET", "POST"),
        get("/", fields).replace("HTTP/1.1", "HTTP/1.0"),
      ]) {
        const client = await server.connect();
        await client.send(bytes);
        const [reply] = (await client.replies(1)).filter(({ status }) => status !== 100);
        assert.deepEqual([reply?.status, reply?.body], [200, "undefined"], bytes);
        client.destroy();
      }
    }));

  test("refuses a malformed Upgrade request like any other", () =>
    withServer(make, { serve: accept }, async (server) => {
      const [reply] = parseReplies(
        await server.exchange(upgradeRequest.replace("Host: a", "Host: a,b")),
        true,
      );
      assert.deepEqual([reply?.status, server.served.length], [400, 0]);
    }));

  test("answers an Upgrade request in order, after an earlier request", () =>
    withServer(
      make,
      { serve: async (source) => (await turn(3), Response.text(`${source.target}`)) },
      async (server) => {
        const client = await server.connect();
        await client.send(get("/1") + upgradeRequest);
        const found = await client.replies(2);
        assert.deepEqual(
          found.map(({ body }) => body),
          ["/1", "/chat"],
        );
      },
    ));
};

async function* pieces(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("one");
  await turn(1);
  yield Buffer.from("two");
}

const undecidedUpgrades = (test: Test, make: MakeTransport): void => {
  for (const [how, disconnect] of Object.entries({
    resets: (client: RawClient): void => void client.socket.resetAndDestroy(),
    "half-closes": (client: RawClient): void => client.end(),
  })) {
    test(`ends the Upgrade request when its client ${how} before the app decides`, () => {
      const { serve, decide, ends } = appOnDemand();
      return withServer(make, { serve }, async (server) => {
        const client = await server.connect();
        await client.send(upgradeRequest);
        await eventually(() => server.transport.inFlight === 1, "the request is served");
        disconnect(client);
        await eventually(() => server.transport.connections === 0, "the connection is gone");
        let began = false;
        decide((upgrade) => upgrade.accept(() => (began = true)));
        await turn(4);
        assert.deepEqual(
          [ends, began, server.transport.inFlight, server.logged],
          [["aborted"], false, 0, []],
        );
      });
    });
  }

  test("does not limit the time until an app decides on an upgrade", () => {
    const { serve, decide } = appOnDemand();
    return withServer(make, { serve }, async (server) => {
      const client = await server.connect({ staysOpen: true });
      await client.send(upgradeRequest);
      await eventually(() => server.transport.inFlight === 1, "the request is served");
      await server.clock.advance(500_000);
      await turn(4);
      decide((upgrade) => upgrade.accept(uppercaseEcho));
      await client.until((received) => received.endsWith("hello;"));
    });
  });
};

const endOfLife = (test: Test, make: MakeTransport): void => {
  test("notifies upgraded connections of a drain, and waits until they have closed", () =>
    withServer(make, { serve: accept }, async (server) => {
      const client = await open(server);
      const closed = server.transport.close(60_000);
      await client.until((received) => received.endsWith("bye"));
      client.end();
      assert.deepEqual(await closed, { cut: 0 });
    }));

  test("notifies connections that are upgraded during a drain", () => {
    const { serve, decide } = appOnDemand();
    return withServer(make, { serve }, async (server) => {
      const client = await server.connect();
      await client.send(upgradeRequest);
      await eventually(() => server.transport.inFlight === 1, "the request is served");
      const closed = server.transport.close(60_000);
      decide((upgrade) => upgrade.accept(uppercaseEcho));
      assert.match(await client.untilClosed(), /hello;bye$/);
      await closed;
    });
  });

  test("keeps an upgraded connection beyond the idle time of a drain, and cuts it at the deadline", () => {
    const mute: Serve = (source) =>
      offeredUpgrade(source).accept(({ socket }) => void socket.write("hello;"));
    return withServer(make, { serve: mute, drainIdleMs: 1000 }, async (server) => {
      const client = await open(server);
      const closed = server.transport.close(60_000);
      await server.clock.advance(59_000);
      await turn(4);
      assert.deepEqual([client.closed, server.transport.connections], [false, 1]);
      await server.clock.advance(1000);
      assert.deepEqual(await closed, { cut: 0 });
      await client.untilClosed();
    });
  });
};
