import assert from "node:assert/strict";
import { HttpError, Response } from "@framework/core";
import { readBody, type Serve } from "@framework/core/testing";
import type { Test } from "../harness/test.ts";
import { parseReplies, type RawClient } from "../harness/raw-client.ts";
import { type MakeTransport, type TestServer, turn, withServer } from "../harness/test-server.ts";
import { NEXT_REQUEST, type WireRow, type WireTable } from "./wire-row.ts";

/** Sends the bytes of a row in one way. */
type Send = (client: RawClient, bytes: string) => Promise<void>;

/** Number of concurrent connections; the rows of a table share one server. */
const CONNECTIONS = 40;

const ways: Readonly<Record<string, Send>> = {
  whole: (client, bytes) => client.send(bytes),
  "byte by byte": async (client, bytes) => {
    // Very long rows test limits, not the boundaries of reads.
    for (const piece of bytes.length < 2000 ? bytes : [bytes]) {
      await client.send(piece);
      await turn(1);
    }
  },
  "cut at random": async (client, bytes) => {
    let at = 0;
    for (const cut of randomCuts(bytes)) {
      await client.send(bytes.slice(at, cut));
      await turn(1);
      at = cut;
    }
    await client.send(bytes.slice(at));
  },
};

/** Returns five sorted positions, the same for the same bytes: a linear congruential generator seeded with their hash. */
const randomCuts = (bytes: string): number[] => {
  let state = Buffer.from(bytes, "latin1").reduce((sum, byte) => (sum * 31 + byte) >>> 0, 7);
  const cuts = Array.from({ length: 5 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % (bytes.length + 1);
  });
  return cuts.toSorted((a, b) => a - b);
};

/** Replies with the target and body length of a request, or with the status of its body's error. */
const serve: Serve = async (source) => {
  try {
    const bytes = await readBody(source, 1_000_000);
    return Response.json({ target: source.target, bytes: bytes.length });
  } catch (error) {
    const status = HttpError.is(error) ? error.status : 500;
    return Response.json({ target: source.target, status }, { status });
  }
};

/** Runs the rows of a table against a transport: complete, byte by byte, and split at random. */
export const wireSuite = (test: Test, make: MakeTransport, { title, rows }: WireTable): void => {
  for (const [way, send] of Object.entries(ways)) {
    test(`${title}: answers each row as listed and runs no smuggled request, sent ${way}`, () =>
      withServer(make, { serve }, async (server) => {
        const queue = [...rows];
        const work = async (): Promise<void> => {
          for (let row = queue.pop(); row !== undefined; row = queue.pop()) await checkRow(server, row, send);
        };
        await Promise.all(Array.from({ length: CONNECTIONS }, work));
        assert.equal(
          server.served.length,
          rows.reduce((sum, { served }) => sum + served, 0),
        );
        assert.deepEqual(
          server.served.filter(({ target }) => target === "/hidden"),
          [],
        );
        assert.deepEqual(server.logged, []);
      }));
  }
};

const checkRow = async (
  server: TestServer,
  { name, bytes, statuses }: WireRow,
  send: Send,
): Promise<void> => {
  const client = await server.connect();
  try {
    await send(client, bytes + NEXT_REQUEST);
    const continues = statuses.length > 1 && statuses.at(-1) === 200;
    const method = bytes.slice(0, bytes.indexOf(" "));
    const methods = [method, ...statuses.slice(2).map(() => method), "GET"];
    if (continues) await client.replies(statuses.length, methods);
    else await client.untilClosed();
    await turn(2);
    const finals = parseReplies(client.received, client.closed, methods).filter(
      ({ status }) => status >= 200,
    );
    assert.deepEqual(
      finals.map(({ status, complete }) => [status, complete]),
      statuses.map((status) => [status, true]),
    );
    assert.equal(finals.at(-1)?.fields.get("connection") === "close", !continues);
    if (continues)
      assert.equal((JSON.parse(finals.at(-1)?.body ?? "") as { target: string }).target, "/next");
    assert.equal(client.reset, false);
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    client.destroy();
  }
};
