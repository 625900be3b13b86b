import assert from "node:assert/strict";
import fc from "fast-check";
import { Response } from "@framework/core";
import type { Serve } from "@framework/core/testing";
import type { Test } from "../harness/test.ts";
import { parseReplies, type RawClient } from "../harness/raw-client.ts";
import { eventually, type MakeTransport, type TestServer, turn, withServer } from "../harness/test-server.ts";

const HOST = "Host: a\r\n";
/** Each row contains the messages of one connection. */
const seeds: readonly string[] = [
  `GET /sync HTTP/1.1\r\n${HOST}\r\nGET /async HTTP/1.1\r\n${HOST}\r\n`,
  `POST /read HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nhelloGET /sync HTTP/1.1\r\n${HOST}\r\n`,
  `POST /sync HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nhelloGET /read HTTP/1.1\r\n${HOST}\r\n`,
  `POST /read HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\nX: y\r\n\r\nGET /async HTTP/1.1\r\n${HOST}\r\n`,
  `POST /async HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 2\r\n\r\nhiGET /sync HTTP/1.1\r\n${HOST}\r\n`,
  `GET /stream HTTP/1.1\r\n${HOST}Connection: keep-alive\r\n\r\nHEAD /sync HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`,
  `CONNECT a:1 HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\nabcGET /sync HTTP/1.1\r\n${HOST}\r\n`,
  `GET /sync HTTP/1.1\r\n${HOST}Connection: upgrade\r\nUpgrade: h2c\r\n\r\nPRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`,
];
const fragments: readonly string[] = [
  "\r",
  "\n",
  "\r\n",
  "\r\n\r\n",
  "\0",
  " ",
  "\t",
  ":",
  ",",
  ";",
  "0\r\n\r\n",
  "\x7f",
  "\xff",
  "%",
  "#",
  "@",
  "Content-Length: 1\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Host: b\r\n",
  "Expect: 100-continue\r\n",
  "Connection: close\r\n",
  "HTTP/1.0",
  "HTTP/0.9",
  "chunked",
  "-1",
  "fffffffffffffffff",
  "__proto__: 1\r\n",
  "GET /sync HTTP/1.1\r\nHost: a\r\n\r\n",
];

type Mutation = (bytes: string) => string;
const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(place, fc.constantFrom(...fragments)).map(
    ([at, text]): Mutation =>
      (bytes) =>
        bytes.slice(0, at * bytes.length) + text + bytes.slice(at * bytes.length),
  ),
  fc.tuple(place, fc.integer({ min: 0, max: 255 })).map(
    ([at, code]): Mutation =>
      (bytes) =>
        bytes.slice(0, at * bytes.length) +
        String.fromCharCode(code) +
        bytes.slice(Math.trunc(at * bytes.length) + 1),
  ),
  fc.tuple(place, fc.integer({ min: 1, max: 30 })).map(
    ([at, count]): Mutation =>
      (bytes) =>
        bytes.slice(0, at * bytes.length) + bytes.slice(Math.trunc(at * bytes.length) + count),
  ),
  fc.tuple(place, place).map(
    ([from, to]): Mutation =>
      (bytes) =>
        bytes + bytes.slice(from * bytes.length, to * bytes.length),
  ),
);
const traffic = fc.record({
  seed: fc.constantFrom(...seeds),
  mutations: fc.array(mutation, { maxLength: 4 }),
  cut: place,
  waitTurns: fc.integer({ min: 0, max: 6 }),
  resets: fc.boolean(),
});

/** Replies with the number of the request, so that replies can be distinguished. */
const numberedReplies = (): Serve => {
  let count = 0;
  return (source) => {
    const reply = (): Response => Response.text(`#${number}`);
    const number = ++count;
    if (source.target === "/sync") return reply();
    if (source.target === "/stream") return Response.stream([`#${number}`]);
    return (async () => {
      try {
        if (source.target === "/read") for await (const _ of source.chunks());
        else await turn(1);
        return reply();
      } catch {
        return Response.text(`#${number}`, { status: 400 });
      }
    })();
  };
};

/** Random malformed traffic: each message gets at most one reply, in order, and everything is released. */
export const fuzzConformance = (test: Test, make: MakeTransport): void => {
  test("sends at most one reply to a message, in order, and survives any input", () =>
    withServer(make, { serve: numberedReplies() }, async (server) => {
      const property = fc.asyncProperty(traffic, async ({ seed, mutations, cut, waitTurns, resets }) => {
        const bytes = mutations.reduce((text, mutate) => mutate(text), seed);
        const client = await server.connect();
        await client.send(bytes.slice(0, cut * bytes.length));
        await turn(1);
        await client.send(bytes.slice(cut * bytes.length));
        await turn(waitTurns);
        if (resets) client.socket.resetAndDestroy();
        else client.end();
        await checkReplies(server, client);
      });
      await fc.assert(property, { numRuns: 400, interruptAfterTimeLimit: 2000 });
      assert.deepEqual(server.logged, []);
    }));
};

const checkReplies = async (server: TestServer, client: RawClient): Promise<void> => {
  await client.untilClosed();
  await eventually(() => server.transport.connections === 0, "the connection is gone");
  assert.equal(server.transport.inFlight, 0);

  const served = server.served.splice(0);
  const finals = parseReplies(
    client.received,
    true,
    served.map(({ method }) => method),
  ).filter(({ status }) => status !== 100);
  const refusal = finals.findIndex(({ body, status }) => status >= 400 && !body.startsWith("#"));
  assert.ok(refusal === -1 || refusal === finals.length - 1, "nothing is sent after a refusal");
  const replies = refusal === -1 ? finals : finals.slice(0, -1);
  assert.ok(replies.length <= served.length, "there are no more replies than requests");
  const numbers = replies.filter(({ body }) => body !== "").map(({ body }) => Number(body.slice(1)));
  assert.deepEqual(
    numbers,
    [...new Set(numbers)].toSorted((a, b) => a - b),
  );
};
