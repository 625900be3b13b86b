// Above 250 lines: one list of facts about slow clients, each a few lines; a split would separate rows that are read together.
import { describe, expect, test } from "@jest/globals";
import { Response } from "@framework/core";
import { bothTransportsAndTls } from "../harness/both-transports.ts";
import {
  createExchangeRecorder,
  expectNothingLeft,
  type ExchangeRecorder,
} from "../harness/exchange-recorder.ts";
import { parseReplies, type RawClient } from "../harness/raw-client.ts";
import { eventually, type ServerSetup, type TestServer, turn, withServer } from "../harness/test-server.ts";

const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`;
const post = (fields: string): string => `POST /read HTTP/1.1\r\nHost: a\r\n${fields}\r\n\r\n`;
const timeouts = { readHeaderSecs: 5, readBodySecs: 30, writeSecs: 30, idleSecs: 75 };

/** Sends one piece per second to each open client, until all are cut or no piece remains. Returns the second in which each was cut. */
const drip = async (
  { clock }: TestServer,
  clients: readonly RawClient[],
  pieces: Iterable<string>,
): Promise<number[]> => {
  const ends = clients.map(() => Infinity);
  let second = 0;
  for (const piece of pieces) {
    const open = piece === "" ? [] : clients.filter((client) => !client.closed);
    await Promise.all(open.map((client) => client.send(piece)));
    await turn(6);
    await clock.advance(1000);
    await turn(10);
    second++;
    for (const [at, client] of clients.entries())
      if (client.closed) ends[at] = Math.min(ends[at] ?? 0, second);
    if (clients.every((client) => client.closed)) break;
  }
  return ends;
};

const seconds = (count: number, piece = ""): string[] => Array<string>(count).fill(piece);
const statuses = (client: RawClient): number[] =>
  parseReplies(client.received, client.closed).map(({ status }) => status);

describe.each(bothTransportsAndTls)("%s", (_name, make) => {
  const expectNothingLeftAfter = (
    setup: ServerSetup,
    run: (server: TestServer, recorder: ExchangeRecorder) => Promise<void>,
  ): Promise<void> => {
    const recorder = createExchangeRecorder();
    return withServer(make, { serve: recorder.serve, timeouts, ...setup }, async (server) => {
      await run(server, recorder);
      await expectNothingLeft(server, recorder, 3000);
    });
  };

  test("refuses within the timeout a head that continues byte by byte, from any starting point", () =>
    expectNothingLeftAfter({}, async (server, recorder) => {
      const heads = [
        "G",
        "GET ",
        "GET /a",
        "GET / HTTP/1.1",
        "GET / HTTP/1.1\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX",
        "GET / HTTP/1.1\r\nHost: a\r\nX: ",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1",
        get("/now").slice(0, -1),
      ];
      const before = ["", get("/now"), get("/now").repeat(2)];
      const clients = await Promise.all(before.flatMap(() => heads.map(() => server.connect())));
      const prefixOf = (at: number): string => before[Math.floor(at / heads.length)] ?? "";
      await Promise.all(
        clients.map((client, at) => client.send(prefixOf(at) + (heads[at % heads.length] ?? ""))),
      );
      await Promise.all(
        clients.map((client, at) =>
          client.until(() => statuses(client).length * get("/now").length === prefixOf(at).length),
        ),
      );
      // Each head continues with letters, which make some of them malformed.
      const ends = await drip(server, clients, seconds(10, "a"));
      for (const [at, client] of clients.entries()) {
        const answered =
          prefixOf(at) === "" ? [] : Array<number>(prefixOf(at).length / get("/now").length).fill(200);
        expect([at, statuses(client).slice(0, -1)]).toEqual([at, answered]);
        expect([400, 408, 501]).toContain(statuses(client).at(-1));
      }
      expect(ends.map((end, at) => [at, end]).filter(([, end = 0]) => end > 7)).toEqual([]);
      expect(recorder.begun).toBe((before.join("").length / get("/now").length) * heads.length);
    }));

  test("refuses within the timeout a client that sends only empty lines", () =>
    expectNothingLeftAfter({}, async (server, recorder) => {
      const client = await server.connect();
      const [end] = await drip(server, [client], seconds(20, "\r\n"));
      expect(end).toBeLessThanOrEqual(7);
      expect([statuses(client), recorder.begun]).toEqual([[400], 0]);
    }));

  test("measures the time of a head from its first byte, not from the last one", () =>
    expectNothingLeftAfter({}, async (server) => {
      const client = await server.connect();
      await drip(server, [client], get("/now").slice(0, 4).split(""));
      expect(client.closed).toBe(false);
      const [end] = await drip(server, [client], "/now HTTP/1.1".split(""));
      expect(end).toBeLessThanOrEqual(3);
      expect(statuses(client)).toEqual([408]);
    }));

  test("serves a head that arrives slowly but in time", () =>
    expectNothingLeftAfter({}, async (server) => {
      const client = await server.connect();
      const bytes = get("/now");
      await drip(
        server,
        [client],
        [bytes.slice(0, 9), bytes.slice(9, 20), bytes.slice(20, 25), bytes.slice(25)],
      );
      expect(statuses(client)).toEqual([200]);
      client.destroy();
    }));

  test("times out a client that goes silent within a message: 408 for its head and for its body", () =>
    expectNothingLeftAfter({}, async (server, recorder) => {
      const rows = [
        [get("/now").slice(0, 10), [408], 7],
        [get("/now") + get("/now").slice(0, 20), [200, 408], 7],
        [`${post("Content-Length: 9")}1234`, [408], 32],
        [post("Content-Length: 9"), [408], 32],
        [`${post("Transfer-Encoding: chunked")}5\r\nhe`, [408], 32],
        [`${post("Transfer-Encoding: chunked")}5\r\nhello\r\n`, [408], 32],
        [`${get("/now")}${post("Transfer-Encoding: chunked")}5`, [200, 408], 32],
      ] as const;
      const clients = await Promise.all(rows.map(() => server.connect()));
      await Promise.all(clients.map((client, at) => client.send(rows[at]?.[0] ?? "")));
      await eventually(() => recorder.begun === 7, "every complete head has reached the app");
      const ends = await drip(server, clients, seconds(80));
      for (const [at, [, expected, latest]] of rows.entries()) {
        const client = clients[at] as RawClient;
        expect([at, statuses(client)]).toEqual([at, expected]);
        expect(ends[at]).toBeLessThanOrEqual(latest);
      }
      expect(new Set(recorder.readErrors)).toEqual(new Set(["HTTP_408"]));
    }));

  test("ends a chunked body below 1 KiB/s with 408, counting only the bytes of the body, not framing or extensions", () =>
    expectNothingLeftAfter({}, async (server) => {
      for (const eachSecond of [
        `190\r\n${"x".repeat(400)}\r\n`,
        "1\r\nx\r\n".repeat(10),
        "1\r\nx\r\n".repeat(250),
        `1;${"a".repeat(500)}\r\nx\r\n`,
      ]) {
        const client = await server.connect();
        await client.send(post("Transfer-Encoding: chunked"));
        await turn();
        const [end] = await drip(server, [client], seconds(50, eachSecond));
        expect([30, 31, 32]).toContain(end);
        expect(statuses(client)).toEqual([408]);
      }
    }));

  test("serves a body at 1 KiB/s far beyond the body timeout", () =>
    expectNothingLeftAfter({}, async (server) => {
      const [long, chunked] = [await server.connect(), await server.connect()];
      const count = 120;
      await long.send(post(`Content-Length: ${count * 1024}`));
      await chunked.send(post("Transfer-Encoding: chunked"));
      for (let second = 0; second < count; second++) {
        await drip(server, [long], ["x".repeat(1024)]);
        await chunked.send(`400\r\n${"x".repeat(1024)}\r\n`);
      }
      await chunked.send("0\r\n\r\n");
      for (const client of [long, chunked]) {
        expect((await client.replies(1))[0]?.body).toBe(`read ${count * 1024}`);
        client.destroy();
      }
    }));

  test("cuts a client that keeps sending requests without reading replies, after serving a bounded number", () =>
    expectNothingLeftAfter({}, async (server, recorder) => {
      const client = await server.connect();
      client.socket.pause();
      void client.send(get("/page").repeat(5000));
      await eventually(() => recorder.begun > 16, "the first are served");
      await turn(300);
      const { begun } = recorder;
      expect(begun).toBeLessThan(1000);
      let elapsedSecs = 0;
      for (; elapsedSecs < 60 && server.transport.connections > 0; elapsedSecs++) {
        await server.clock.advance(1000);
        await turn(10);
      }
      expect([30, 31, 32, 33]).toContain(elapsedSecs);
      expect(recorder.begun).toBeLessThan(begun + 100);
    }));

  test("cancels the stream of a client that does not read", () =>
    expectNothingLeftAfter({}, async (server, recorder) => {
      const client = await server.connect();
      client.socket.pause();
      await client.send(get("/flood"));
      await eventually(() => recorder.open === 1, "the stream has begun");
      await turn(300);
      let elapsedSecs = 0;
      for (; elapsedSecs < 60 && server.transport.connections > 0; elapsedSecs++) {
        await server.clock.advance(1000);
        await turn(10);
      }
      expect([30, 31, 32, 33]).toContain(elapsedSecs);
      await eventually(() => recorder.open === 0, "the stream is cancelled");
      expect(recorder.ends).toEqual([{ target: "/flood", end: "aborted" }]);
    }));

  test("does not time out the client when a stream pauses", () => {
    let resume = (): void => {};
    const source = async function* () {
      yield "first ";
      await new Promise<void>((resolve) => {
        resume = resolve;
      });
      yield "second";
    };
    return withServer(make, { serve: () => Response.stream(source()), timeouts }, async (server) => {
      const client = await server.connect();
      await client.send(get("/"));
      await client.until((received) => received.includes("first"));
      expect(await drip(server, [client], seconds(300))).toEqual([Infinity]);
      resume();
      expect((await client.replies(1))[0]?.body).toBe("first second");
    });
  });

  test("serves a healthy client immediately while hundreds are slow in different ways", () =>
    expectNothingLeftAfter({}, async (server) => {
      const slow = await Promise.all(Array.from({ length: 200 }, () => server.connect()));
      const beginnings = [
        "",
        "GET / HTTP/1.1\r\nX: ",
        `${post("Content-Length: 9000")}123`,
        `${post("Transfer-Encoding: chunked")}1\r\nx\r\n`,
        get("/flood"),
      ];
      for (const client of slow) client.socket.pause();
      await Promise.all(slow.map((client, at) => client.send(beginnings[at % beginnings.length] ?? "")));
      const healthy = await server.connect();
      for (let count = 1; count <= 80; count++) {
        await healthy.send(get("/now"));
        expect((await healthy.replies(count)).length).toBe(count);
        await server.clock.advance(1000);
        await turn(4);
      }
      await eventually(() => server.transport.connections === 1, "the slow clients are gone");
      expect(server.transport.inFlight).toBe(0);
      healthy.destroy();
    }));

  test("slow clients cannot hold connections indefinitely: the limit applies, and connections are released", () => {
    const recorder = createExchangeRecorder();
    const limits = { maxConnections: 50 };
    return withServer(make, { serve: recorder.serve, timeouts, limits }, async (server) => {
      const slow = await Promise.all(Array.from({ length: 50 }, () => server.connect()));
      await Promise.all(
        slow.map((client, at) => client.send(at % 2 === 0 ? "GET / " : post("Content-Length: 9"))),
      );
      await eventually(() => server.transport.connections === 50, "all are connected");
      for (let count = 0; count < 5; count++) {
        const extra = await server.connect({ ca: undefined }); // dropped before a handshake
        expect(await extra.untilClosed()).toBe("");
        expect(server.transport.connections).toBe(50);
      }
      await drip(server, slow, seconds(40));
      await server.clock.advance(3000);
      await eventually(() => server.transport.connections === 0, "the slow clients are gone");
      const warnings = server.logged.filter((line) => line.includes("above the limit"));
      expect([warnings.length, server.logged.length]).toEqual([1, 1]);
      server.logged.length = 0;
      await expectNothingLeft(server, recorder, 3000);
    });
  });

  test("closes a connection after its last permitted request, even if that request is slow", () =>
    expectNothingLeftAfter({ limits: { maxRequestsPerConnection: 3 } }, async (server, recorder) => {
      const [quick, pipelined, slow] = [
        await server.connect(),
        await server.connect(),
        await server.connect(),
      ];
      for (let count = 1; count <= 3; count++) {
        await quick.send(get("/now"));
        await quick.until((received) => parseReplies(received, false).length === count);
      }
      await pipelined.send(get("/now").repeat(7));
      await slow.send(`${get("/now").repeat(2)}${post("Content-Length: 90")}1`);
      for (const client of [quick, pipelined]) {
        const replies = parseReplies(await client.untilClosed(), true);
        expect(replies.map(({ fields }) => fields.get("connection") === "close")).toEqual([
          false,
          false,
          true,
        ]);
      }
      await eventually(() => recorder.begun === 9, "the slow one has reached the app");
      const [end] = await drip(server, [slow], seconds(60));
      expect([statuses(slow), recorder.begun]).toEqual([[200, 200, 408], 9]);
      expect(end).toBeLessThanOrEqual(32);
    }));
});
