// Above 250 lines: one list of facts about connections that persist, each a few lines.
import assert from "node:assert/strict";
import { Response } from "@framework/core";
import type { RequestSource } from "@framework/core/feature";
import type { Serve } from "@framework/core/testing";
import type { Test } from "../harness/test.ts";
import { parseReplies, type RawClient, type RawReply } from "../harness/raw-client.ts";
import { eventually, type MakeTransport, turn, withServer } from "../harness/test-server.ts";
import { afterCloseConformance } from "./after-close.ts";
import { offerConformance } from "./offers.ts";

const get = (target: string, fields = ""): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;
const bodies = (replies: readonly RawReply[]): string[] => replies.map(({ body }) => body);
const path: Serve = ({ target }) => Response.text(target);

/** Creates an app whose replies a test sends on demand; `waiting` has their resolvers by target. */
const repliesOnDemand = (): { serve: Serve; waiting: Map<string, (reply: Response) => void> } => {
  const waiting = new Map<string, (reply: Response) => void>();
  const serve = ({ target }: RequestSource): Promise<Response> =>
    new Promise((resolve) => waiting.set(target, resolve));
  return { serve, waiting };
};

/** Several requests on one connection: persistence, order, bounds, and requests after an error. */
export const persistenceConformance = (test: Test, make: MakeTransport): void => {
  persistence(test, make);
  offerConformance(test, make);
  pipelining(test, make);
  afterCloseConformance(test, make);
  afterErrors(test, make);
};

const persistence = (test: Test, make: MakeTransport): void => {
  const rows: [string, string, boolean][] = [
    ["1.1", "", true],
    ["1.1", "Connection: keep-alive", true],
    ["1.1", "Connection: close", false],
    ["1.1", "Connection: Close", false],
    ["1.1", "Connection: foo, close", false],
    ["1.1", "Connection: foo", true],
    ["1.0", "", false],
    ["1.0", "Connection: keep-alive", true],
    ["1.0", "Connection: foo, Keep-Alive", true],
    ["1.0", "Connection: close", false],
    ["1.0", "Connection: keep-alive, close", false],
    ["1.1", "Expect: 100-continue", true],
    ["1.1", "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk", true],
    ["1.1", "Upgrade: websocket", true],
    ["1.1", "Upgrade: h2c\r\nConnection: upgrade, close", false],
    ["1.0", "Upgrade: h2c\r\nConnection: upgrade", false],
  ];
  test("keeps a connection or closes it as version and Connection require", () =>
    withServer(make, { serve: path }, async (server) => {
      for (const [version, field, keeps] of rows) {
        const client = await server.connect();
        await client.send(`GET /1 HTTP/${version}\r\nHost: a\r\n${field === "" ? "" : `${field}\r\n`}\r\n`);
        const [reply] = await client.replies(1);
        const label = `${version} ${field}`;
        assert.equal(reply?.fields.get("connection")?.toLowerCase(), keeps ? "keep-alive" : "close", label);
        await client.send(get("/2"));
        if (keeps) assert.deepEqual(bodies(await client.replies(2)), ["/1", "/2"], label);
        else assert.deepEqual(bodies(parseReplies(await client.untilClosed(), true)), ["/1"], label);
      }
    }));

  test("sends close with the last permitted request of a connection", () =>
    withServer(make, { serve: path, limits: { maxRequestsPerConnection: 3 } }, async (server) => {
      const replies = parseReplies(
        await server.exchange([1, 2, 3, 4].map((n) => get(`/${n}`)).join("")),
        true,
      );
      assert.deepEqual(
        replies.map(({ body, fields }) => [body, fields.get("connection") === "close"]),
        [
          ["/1", false],
          ["/2", false],
          ["/3", true],
        ],
      );
      assert.equal(server.served.length, 3);
    }));

  test("closes the connection after a reply with Connection: close", () =>
    withServer(
      make,
      { serve: () => new Response("bye", { headers: { connection: "close" } }) },
      async (server) => {
        const [reply, ...more] = parseReplies(await server.exchange(get("/1") + get("/2")), true);
        assert.deepEqual([reply?.body, reply?.fields.get("connection"), more.length], ["bye", "close", 0]);
      },
    ));

  test("answers an upgrade that the app ignores like an ordinary request, and closes", () =>
    withServer(make, { serve: path }, async (server) => {
      const fields = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
      const replies = parseReplies(await server.exchange(get("/1", fields) + get("/2")), true);
      assert.deepEqual(
        replies.map(({ body, fields }) => [body, fields.get("connection")]),
        [["/1", "close"]],
      );
      assert.equal(server.served.length, 1);
    }));

  test("drops connections above the limit and logs a warning", () =>
    withServer(make, { serve: path, limits: { maxConnections: 2 } }, async (server) => {
      const first = await server.connect();
      const second = await server.connect();
      await eventually(() => server.transport.connections === 2, "both are connected");
      const third = await server.connect();
      assert.equal(await third.untilClosed(), "");
      await server.clock.advance(1000);
      assert.deepEqual(server.logged, ["warn: connections above the limit were dropped"]);
      second.destroy();
      await eventually(() => server.transport.connections === 1, "the second connection is gone");
      const fourth = await server.connect();
      for (const client of [first, fourth]) {
        await client.send(get("/x"));
        assert.deepEqual(bodies(await client.replies(1)), ["/x"]);
      }
    }));
};

const pipelining = (test: Test, make: MakeTransport): void => {
  test("answers pipelined requests in order, whenever their replies are ready", () => {
    const { serve, waiting } = repliesOnDemand();
    return withServer(make, { serve }, async (server) => {
      const client = await server.connect();
      await client.send(get("/1") + get("/2") + get("/3"));
      await eventually(() => waiting.size === 3, "three requests are served");
      for (const target of ["/3", "/2"]) waiting.get(target)?.(Response.text(target));
      await turn();
      assert.equal(client.received, "");
      waiting.get("/1")?.(Response.text("/1"));
      assert.deepEqual(bodies(await client.replies(3)), ["/1", "/2", "/3"]);
    });
  });

  test("serves at most 16 pipelined requests concurrently, and then stops reading", () => {
    const { serve, waiting } = repliesOnDemand();
    return withServer(make, { serve }, async (server) => {
      const client = await server.connect();
      const padding = `X: ${"x".repeat(10_000)}\r\n`; // more than all buffers between client and server hold
      let flushed = false;
      void client.send(Array.from({ length: 4000 }, (_, n) => get(`/${n}`, padding)).join("")).then(() => {
        flushed = true;
      });
      await eventually(() => waiting.size === 16, "16 requests are served");
      await turn(50);
      assert.deepEqual([waiting.size, server.transport.inFlight], [16, 16]);
      waiting.get("/0")?.(Response.text("/0"));
      await eventually(() => waiting.size === 17, "the next one is served");
      await turn(50);
      assert.deepEqual([waiting.size, flushed], [17, false]);
    });
  });

  test("answers a deep pipeline completely and in order", () => {
    const serve: Serve = async ({ target }) => {
      if (Number(target.slice(1)) % 3 === 0) await turn(1);
      return Response.text(target);
    };
    return withServer(make, { serve }, async (server) => {
      const client = await server.connect();
      const targets = Array.from({ length: 500 }, (_, n) => `/${n}`);
      await client.send(targets.map((target) => get(target)).join(""));
      assert.deepEqual(bodies(await client.replies(500)), targets);
    });
  });

  test("answers a deep pipeline of long and short replies completely and in order, whenever they are ready", () => {
    const sizes = [10, 70_000, 1, 20_000, 5000];
    const sizeOf = (target: string): number => sizes[Number(target.slice(1)) % sizes.length] ?? 0;
    const serve: Serve = async ({ target }) => {
      await turn(Number(target.slice(1)) % 4);
      return Response.text(target.padEnd(sizeOf(target), "."));
    };
    return withServer(make, { serve }, async (server) => {
      const client = await server.connect();
      const targets = Array.from({ length: 60 }, (_, n) => `/${n}`);
      const text = targets.map((target) => get(target)).join("");
      for (let at = 0; at < text.length; at += 300) {
        await client.send(text.slice(at, at + 300));
        await turn(1);
      }
      const expected = targets.map((target) => target.padEnd(sizeOf(target), "."));
      assert.deepEqual(bodies(await client.replies(60)), expected);
    });
  });

  test("stops serving requests while the client does not read", () => {
    const serve: Serve = () => Response.text("x".repeat(200_000));
    return withServer(make, { serve }, async (server) => {
      const client = await server.connect();
      client.socket.pause();
      await client.send(get("/").repeat(200));
      await turn(300);
      assert.ok(server.served.length < 150, `${server.served.length} were served`);
      client.socket.resume();
      await eventually(() => server.served.length === 200, "the rest is served");
    });
  });

  test("reports the end of a reply only when the socket has taken all of it", () => {
    let ended = 0;
    const serve: Serve = (source) => {
      source.onEnd((end) => {
        if (end === "sent") ended++;
      });
      return Response.text("x".repeat(200_000));
    };
    return withServer(make, { serve }, async (server) => {
      const client = await server.connect();
      client.socket.pause();
      for (let sent = 0; server.served.length === sent; sent++) {
        assert.ok(sent < 200, "no request ever waited");
        await client.send(get("/"));
        await turn(50);
      }
      assert.equal(ended, server.served.length - 1);
      client.socket.resume();
      await eventually(() => ended === server.served.length, "all replies are sent");
    });
  });

  test("stops serving requests after a long reply that the client does not read", () =>
    withServer(make, { serve: () => Response.text("x".repeat(10_000_000)) }, async (server) => {
      const client = await server.connect();
      client.socket.pause();
      await client.send(get("/").repeat(10));
      await turn(200);
      assert.ok(server.served.length < 4, `${server.served.length} were served`);
    }));
};

const afterErrors = (test: Test, make: MakeTransport): void => {
  const bad: Record<string, [string, number]> = {
    "a bad Host": ["GET /bad HTTP/1.1\r\nHost: a,b\r\n\r\n", 400],
    "an unknown method": ["FOO /bad HTTP/1.1\r\nHost: a\r\n\r\n", 501],
    "a bad field": ["GET /bad HTTP/1.1\r\nHost : a\r\n\r\n", 400],
    "a bad version": ["GET /bad HTTP/1.7\r\nHost: a\r\n\r\n", 505],
    CONNECT: ["CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", 501],
  };
  test("answers the requests before a malformed one first, and runs nothing after it", () => {
    const { serve, waiting } = repliesOnDemand();
    return withServer(make, { serve }, async (server) => {
      for (const [name, [bytes, status]] of Object.entries(bad)) {
        waiting.clear();
        const client = await server.connect();
        await client.send(get("/1") + get("/2") + bytes + get("/3"));
        await eventually(() => waiting.size === 2, name);
        await turn(4);
        waiting.get("/2")?.(Response.text("/2"));
        waiting.get("/1")?.(Response.text("/1"));
        const replies = parseReplies(await client.untilClosed(), true);
        assert.deepEqual(
          replies.map((reply) => [reply.status, reply.fields.get("connection") === "close"]),
          [
            [200, false],
            [200, false],
            [status, true],
          ],
          name,
        );
        assert.deepEqual([[...waiting.keys()], client.reset], [["/1", "/2"], false], name);
      }
    });
  });

  test("answers more than 16 valid requests before a malformed one", () =>
    withServer(make, { serve: async (source) => (await turn(1), path(source)) }, async (server) => {
      const received = await server.exchange(
        get("/x").repeat(40) + (bad["a bad field"]?.[0] ?? "") + get("/y"),
      );
      const statuses = parseReplies(received, true).map(({ status }) => status);
      assert.deepEqual(statuses, [...Array.from({ length: 40 }, () => 200), 400]);
      assert.equal(server.served.length, 40);
    }));

  test("runs nothing that arrives after an error, and cuts the connection at the timeout", () =>
    withServer(make, { serve: path }, async (server) => {
      for (const [name, [bytes]] of Object.entries(bad)) {
        const client = await server.connect({ staysOpen: true });
        await client.send(bytes);
        await client.untilClosed();
        await client.send(get("/later").repeat(100));
        await turn(6);
        assert.equal(server.transport.connections, 1, name);
        void client.send(get("/later").repeat(20_000));
        await turn(20);
        await server.clock.advance(3000);
        await eventually(() => server.transport.connections === 0, name);
      }
      assert.equal(server.served.length, 0);
    }));

  test("a client that sends more after requesting the close can still read its reply", () => {
    const pipeline = get("/x").repeat(40);
    const last = get("/last", "Connection: close\r\n");
    const more = get("/more", `X: ${"x".repeat(2000)}\r\n`).repeat(200);
    let client: RawClient;
    const inTwoWrites = (bytes: string) => () => Promise.all([client.send(bytes), client.send(more)]);
    const ways: Record<string, [send: () => Promise<unknown>, serve: Serve]> = {
      "in one write": [() => client.send(last + more), path],
      "in another write": [inTwoWrites(last), path],
      "after a long pipeline": [
        inTwoWrites(pipeline + last),
        async (source) => (await turn(3), path(source)),
      ],
      "before it is answered": [() => client.send(last), (source) => (void client.send(more), path(source))],
      "while it waits": [() => client.send(last), async (source) => (await client.send(more), path(source))],
    };
    let respond = path;
    return withServer(make, { serve: (source) => respond(source) }, async (server) => {
      for (const [name, [send, serve]] of Object.entries(ways)) {
        respond = serve;
        client = await server.connect({ staysOpen: true });
        await send();
        const replies = parseReplies(await client.untilClosed(), true);
        await turn(10);
        assert.deepEqual([replies.at(-1)?.body, client.reset], ["/last", false], name);
        assert.equal(server.transport.connections, 1, name);
        client.end();
        await eventually(() => server.transport.connections === 0, name);
      }
      assert.ok(server.served.every(({ target }) => target !== "/more"));
    });
  });

  test("keeps a connection that the server closes open for a slow reader, but not indefinitely", () =>
    withServer(make, { serve: path, limits: { maxRequestsPerConnection: 1 } }, async (server) => {
      const client = await server.connect({ staysOpen: true });
      await client.send(get("/1"));
      await client.replies(1);
      await turn(10);
      assert.equal(server.transport.connections, 1);
      await server.clock.advance(4000);
      await eventually(() => server.transport.connections === 0, "the connection is closed");
    }));
};
