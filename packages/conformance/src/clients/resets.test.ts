import { describe, expect, test } from "@jest/globals";
import { App, Response } from "@framework/core";
import { bothTransports } from "../harness/both-transports.ts";
import { createExchangeRecorder, expectNothingLeft } from "../harness/exchange-recorder.ts";
import { connectRaw } from "../harness/raw-client.ts";
import { eventually, turn, withServer } from "../harness/test-server.ts";

const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`;
const post = (fields: string, body: string): string =>
  `POST /read HTTP/1.1\r\nHost: a\r\n${fields}\r\n\r\n${body}`;
const chunked = post("Transfer-Encoding: chunked", "5;x=y\r\nhello\r\n3\r\nabc\r\n0\r\nT: x\r\n\r\n");

const exchanges: Record<string, string> = {
  "a GET": get("/now"),
  "a GET whose reply takes a while": get("/later"),
  "a GET that is never answered": get("/never"),
  "a POST with a length": post("Content-Length: 12", "hello, world"),
  "a POST that expects 100 Continue": post("Content-Length: 5\r\nExpect: 100-continue", "hello"),
  "a chunked POST": chunked,
  "a pipelined pair": get("/later") + get("/now"),
  "a POST after a GET that is not answered": get("/never") + chunked,
  "a chunked POST after a GET": get("/later") + chunked + get("/now"),
  "a streamed reply": get("/stream"),
  "a streamed reply before another": get("/stream") + get("/flood"),
  "a malformed request after a valid one": `${get("/later")}GET / HTTP/1.1\r\nHost : a\r\n\r\n`,
  "a GET with Connection: close": get("/later").replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"),
};

describe.each(bothTransports)("%s", (name, make) => {
  for (const [message, bytes] of Object.entries(exchanges)) {
    test(`releases everything when the client resets after any byte of ${message}`, () => {
      const recorder = createExchangeRecorder();
      return withServer(make, { serve: recorder.serve }, async (server) => {
        const resetAtByte = async (at: number, turns: number): Promise<void> => {
          const client = await server.connect();
          await client.send(bytes.slice(0, at));
          await turn(turns);
          client.socket.resetAndDestroy();
        };
        const offsets = Array.from({ length: bytes.length + 1 }, (_unused, at) => at);
        await Promise.all(offsets.flatMap((at) => [resetAtByte(at, 0), resetAtByte(at, 1 + (at % 7))]));
        await expectNothingLeft(server, recorder);
      });
    });

    test(`releases everything when ${message} arrives in two chunks and the client then resets`, () => {
      const recorder = createExchangeRecorder();
      return withServer(make, { serve: recorder.serve }, async (server) => {
        const resetAfter = async (at: number): Promise<void> => {
          const client = await server.connect();
          await client.send(bytes.slice(0, at));
          await turn(2);
          await client.send(bytes.slice(at));
          if (at % 2 === 0) await turn(at % 5);
          client.socket.resetAndDestroy();
        };
        await Promise.all(Array.from(bytes, (_byte, at) => resetAfter(at)));
        await expectNothingLeft(server, recorder);
      });
    });
  }

  test("cancels a stream and ends its exchange, wherever in the reply the reset occurs", () => {
    const recorder = createExchangeRecorder();
    return withServer(make, { serve: recorder.serve }, async (server) => {
      const resetAt = async (length: number): Promise<void> => {
        const client = await server.connect();
        await client.send(get("/stream"));
        await client.until((received) => received.length >= length);
        client.socket.resetAndDestroy();
      };
      await Promise.all(Array.from({ length: 300 }, (_unused, at) => resetAt(at * 2)));
      await eventually(() => recorder.ends.length === 300, "every exchange has ended");
      expect(new Set(recorder.ends.map(({ end }) => end))).toEqual(new Set(["aborted"]));
      await expectNothingLeft(server, recorder);
    });
  });

  test("cancels a stream that waits for its client to read", () => {
    const recorder = createExchangeRecorder();
    return withServer(make, { serve: recorder.serve }, async (server) => {
      const clients = await Promise.all(Array.from({ length: 20 }, () => server.connect()));
      for (const client of clients) client.socket.pause();
      await Promise.all(clients.map((client) => client.send(get("/flood"))));
      await eventually(() => server.transport.inFlight === 20, "all are served");
      await turn(200);
      for (const client of clients) client.socket.resetAndDestroy();
      await expectNothingLeft(server, recorder);
      expect(recorder.ends.slice(0, 20).map(({ end }) => end)).toEqual(Array(20).fill("aborted"));
    });
  });

  test("notifies the handler, and the reader of a body, of the disconnect", () => {
    const recorder = createExchangeRecorder();
    return withServer(make, { serve: recorder.serve }, async (server) => {
      const [waiting, reading, stuck] = [
        await server.connect(),
        await server.connect(),
        await server.connect(),
      ];
      await waiting.send(get("/never"));
      await reading.send(post("Content-Length: 10", "01234"));
      await stuck.send(chunked.slice(0, -20));
      await eventually(() => recorder.begun === 3, "all are served");
      await turn(4);
      for (const client of [waiting, reading, stuck]) client.socket.resetAndDestroy();
      await eventually(() => recorder.ends.length === 3, "all have ended");
      expect(recorder.ends.map(({ end }) => end)).toEqual(["aborted", "aborted", "aborted"]);
      expect(recorder.readErrors).toEqual(["CORE_CLIENT_DISCONNECTED", "CORE_CLIENT_DISCONNECTED"]);
      await expectNothingLeft(server, recorder);
    });
  });

  test("aborts the signal of a request and ends the generator of a reply when the client resets", async () => {
    const seen: string[] = [];
    const pages = async function* () {
      try {
        for (;;) {
          yield "page";
          await turn(1);
        }
      } finally {
        seen.push("generator ended");
      }
    };
    const app = new App();
    app.get("/wait", async (request) => {
      seen.push("waits");
      await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
      seen.push(String((request.signal.reason as { code?: unknown }).code));
      return null;
    });
    app.get("/pages", () => Response.stream(pages()));
    const log = { info: () => {}, warn: () => {}, error: (message: string) => void seen.push(message) };
    const running = await app.run({ transport: name, port: 0, exitOnError: false, argv: [], log });
    try {
      const [waiting, streaming] = [await connectRaw(running.port), await connectRaw(running.port)];
      await waiting.send(get("/wait"));
      await streaming.send(get("/pages"));
      await streaming.until((received) => received.includes("page"));
      await eventually(() => seen.includes("waits"), "the handler waits");
      for (const client of [waiting, streaming]) client.socket.resetAndDestroy();
      await eventually(() => seen.length === 3, "both have ended");
      expect(seen.toSorted()).toEqual(["CORE_CLIENT_DISCONNECTED", "generator ended", "waits"]);
    } finally {
      await running.close();
    }
  });

  test("keeps serving another client while hundreds reset", () => {
    const recorder = createExchangeRecorder();
    return withServer(make, { serve: recorder.serve }, async (server) => {
      const healthy = await server.connect();
      const messages = Object.values(exchanges);
      for (let round = 1; round <= 10; round++) {
        const resetting = await Promise.all(Array.from({ length: 30 }, () => server.connect()));
        await Promise.all(resetting.map((client, at) => client.send(messages[at % messages.length] ?? "")));
        await healthy.send(get("/now"));
        for (const client of resetting) client.socket.resetAndDestroy();
        expect((await healthy.replies(round)).length).toBe(round);
      }
      await eventually(() => server.transport.connections === 1, "only the healthy one remains");
      healthy.destroy();
      await expectNothingLeft(server, recorder);
    });
  });
});
