import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type ExchangeEnd, HttpError, Response } from "@framework/core";
import type { RequestSource } from "@framework/core/feature";
import { readBody, type Reply, type Serve } from "@framework/core/testing";
import fc from "fast-check";
import type { Test } from "../harness/test.ts";
import { eventually, type MakeTransport, type TestServer, turn, withServer } from "../harness/test-server.ts";
import type { ClientReply, ConnectExchangeClient, ExchangeClient, OpenRequest } from "./exchange-client.ts";
import { bytesOf, toReply } from "../replies/response-replies.ts";
import { isBroken, exchanges, isBodiless, type RandomExchange } from "./random-exchange.ts";

/** The app's record of the exchanges on a connection, by target. */
interface Seen {
  readonly request: Map<string, unknown>;
  readonly ends: Map<string, ExchangeEnd>;
  begun: number;
  ended: number;
  /** Running handlers. */
  open: number;
}

/**
 * Runs random exchanges of one client, as concurrent as its protocol allows: each gets its own reply, byte for byte, even if others wait, are cancelled or fail.
 *
 * @param test the runner's `test`
 * @param make creates the transport under test
 * @param connect creates a client of its protocol
 */
export const randomExchanges = (test: Test, make: MakeTransport, connect: ConnectExchangeClient): void => {
  test("gives each of many exchanges its own reply, even if others wait, are cancelled or fail", () => {
    let current: readonly RandomExchange[] = [];
    let seen: Seen = nothingSeen();
    const serve: Serve = (source) => serveOne(current, seen, source);
    return withServer(make, { serve }, async (server) => {
      await fc.assert(
        fc.asyncProperty(exchanges, async (list) => {
          [current, seen] = [list, nothingSeen()];
          const client = connect(server.port, make.ca);
          try {
            await Promise.all(list.map((exchange, at) => runOne(client, exchange, at)));
            await expectServed(client, server, list, seen);
          } finally {
            client.destroy();
          }
          await untilReleased(server);
          server.served.length = 0; // to release the bodies
        }),
        // A run that hangs takes a minute to fail, so there is no time to shrink it.
        { numRuns: 40, endOnFailure: true },
      );
    });
  });
};

/** Waits until the server detects that a client is gone: a half-closed client may still read, so only inactivity shows it. */
const untilReleased = async ({ transport, clock }: TestServer): Promise<void> => {
  const end = performance.now() + 60_000;
  while (transport.connections > 0) {
    assert.ok(performance.now() < end, "the connection is still open");
    await turn(4);
    await clock.advance(1000);
  }
};

const nothingSeen = (): Seen => ({ request: new Map(), ends: new Map(), begun: 0, ended: 0, open: 0 });

const targetOf = (at: number): string => `/exchange/${at}?a=b%20c&${at}`;

const digestOf = (bytes: Uint8Array): string => createHash("sha1").update(bytes).digest("hex");

/** Returns the bytes of a request's body, different for each exchange. */
const bodyOf = (at: number, { writes }: RandomExchange): Buffer => {
  const body = Buffer.alloc(writes.reduce((sum, length) => sum + length, 0));
  for (let index = 0; index < body.length; index++) body[index] = (at * 31 + index * (at + 3)) & 0xff;
  return body;
};

/** Reads a body. Returns the digest of its bytes, or "gone" if the client disconnected. */
const digestOfBody = async (source: RequestSource): Promise<string> => {
  try {
    return digestOf(await readBody(source, 1e9));
  } catch (error) {
    if (HttpError.is(error)) return "gone";
    throw error;
  }
};

const serveOne = async (
  list: readonly RandomExchange[],
  seen: Seen,
  source: RequestSource,
): Promise<Reply> => {
  const { target, method } = source;
  const at = Number(/^\/exchange\/(\d+)/.exec(target)?.[1]);
  const exchange = list[at];
  if (exchange === undefined) return Response.text("next");
  seen.begun++;
  seen.open++;
  source.onEnd((end) => {
    seen.ended++;
    seen.ends.set(target, end);
  });
  const own = exchange.fields.map(([name]) => [name, source.field(name)]);
  await turn(exchange.handlerDelay);
  const digest = exchange.readsBody ? await digestOfBody(source) : null;
  seen.request.set(target, { method, own, digest });
  seen.open--;
  return toReply(exchange.reply);
};

/** Sends the request of an exchange, and checks the reply. */
const runOne = async (client: ExchangeClient, exchange: RandomExchange, at: number): Promise<void> => {
  const body = bodyOf(at, exchange);
  const length = exchange.declaresLength ? { "content-length": String(body.length) } : {};
  const open = client.open({
    method: exchange.method,
    path: targetOf(at),
    fields: { ...Object.fromEntries(exchange.fields), ...length },
  });
  open.body.on("error", () => {}); // a server that does not read it may close it
  const read = exchange.disconnectPhase === null ? readReply(open) : null; // reads immediately: the client of node:http2 drops unread data when a reset follows
  await turn(exchange.bodyDelay);
  if (exchange.disconnectPhase === "in its request") open.body.write(body.subarray(0, body.length >> 1));
  else await send(open, body, exchange);
  if (exchange.disconnectPhase === "in its reply") await open.reply.catch(() => {});
  if (read !== null) return expectReply(await read, exchange);
  await turn(exchange.disconnectDelay);
  open.cancel();
};

/** A reply with its body; `null` for an incomplete part. */
interface ReadReply {
  readonly reply: ClientReply | null;
  readonly text: string | null;
}

const readReply = async (open: OpenRequest): Promise<ReadReply> => {
  const reply = await open.reply.catch(() => null);
  return { reply, text: (await reply?.text().catch(() => null)) ?? null };
};

const send = async ({ body: out }: OpenRequest, body: Buffer, { writes }: RandomExchange): Promise<void> => {
  let from = 0;
  for (const length of writes) {
    if (out.destroyed) return;
    out.write(body.subarray(from, from + length));
    from += length;
    await turn(1);
  }
  out.end();
};

const expectReply = ({ reply, text }: ReadReply, exchange: RandomExchange): void => {
  if (isBroken(exchange)) return assert.equal(text, null, "a broken reply is not treated as complete");
  const { status, fields, body } = exchange.reply;
  assert.equal(reply?.status, status);
  for (let field = 0; field < fields.length; field += 2)
    assert.equal(reply?.fields[fields[field] ?? ""], fields[field + 1]);
  if (text === null && mayStop(exchange)) return;
  assert.equal(text, isBodiless(exchange) ? "" : Buffer.from(bytesOf(body)).toString("latin1"));
};

/**
 * Whether the reply may be sent before the end of the request: the server may then ask the client to stop (RFC 9113 8.1), and a client of
 * `node:http2` that keeps writing fails.
 */
const mayStop = ({ readsBody, declaresLength, writes, bodyDelay }: RandomExchange): boolean => {
  const knowsAll = !readsBody || (declaresLength && writes.every((length) => length === 0));
  return knowsAll && (writes.length > 0 || bodyDelay > 0);
};

/** Checks the exchanges that the app saw, and that all of them have ended on their connection. */
const expectServed = async (
  client: ExchangeClient,
  { transport, logged }: TestServer,
  list: readonly RandomExchange[],
  seen: Seen,
): Promise<void> => {
  const hasEnded = (): boolean => seen.ended === seen.begun && seen.open === 0 && transport.inFlight === 0;
  await eventually(hasEnded, "every exchange and every handler has ended");
  for (const [at, exchange] of list.entries()) {
    if (exchange.disconnectPhase !== null) continue;
    const { method, fields: own, readsBody } = exchange;
    const digest = readsBody ? digestOf(bodyOf(at, exchange)) : null;
    assert.deepEqual(seen.request.get(targetOf(at)), { method, own, digest });
    if (isBroken(exchange)) assert.equal(seen.ends.get(targetOf(at)), "aborted");
    else if (readsBody) assert.equal(seen.ends.get(targetOf(at)), "sent");
  }
  const broken = logged.splice(0).filter((line) => line !== "error: a streamed reply failed");
  assert.deepEqual(broken, []);
  assert.equal(await (await client.send({ path: "/next" })).text(), "next"); // the connection continues
};
