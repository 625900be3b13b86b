import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { HttpError, Response } from "@framework/core";
import type { RequestSource } from "@framework/core/feature";
import { readBody, type Serve } from "@framework/core/testing";
import { acceptedDifference, isAlike, type Outcome, receivedText } from "./accepted-differences.ts";
import type { RawClient } from "../harness/raw-client.ts";
import { asLlhttp, readStrictly } from "./strict-reader.ts";
import { eventually, type MakeTransport, type TestServer, turn, withServer } from "../harness/test-server.ts";
import type { Traffic } from "./traffic.ts";

/** Sends the same traffic to both servers, and fails if the apps or the clients saw different results. */
export type Compare = (traffic: Traffic) => Promise<void>;

/** Replies with everything that the app sees of a request, so that equal replies mean equal requests. */
const describeRequest = (source: RequestSource, body: string): Response => {
  const { method, target, authority, scheme, fields, bodyLength } = source;
  const named = ["host", "cookie", "content-type", "x", "absent"].map((name) => source.field(name));
  const seen = { method, target, authority, scheme, fields, named, bodyLength, body };
  const status = target.includes("204") ? 204 : 200;
  return target.includes("stream")
    ? Response.stream([JSON.stringify(seen)])
    : Response.json(seen, { status });
};

const serve: Serve = (source) => {
  if (source.target.includes("read")) return read(source);
  if (source.target.includes("async")) return turn(1).then(() => describeRequest(source, "unread"));
  if (source.target.includes("close")) return new Response("bye", { headers: { connection: "close" } });
  return describeRequest(source, "unread");
};

const read = async (source: RequestSource): Promise<Response> => {
  try {
    return describeRequest(source, Buffer.from(await readBody(source, 100_000)).toString("latin1"));
  } catch (error) {
    return Response.json({ code: HttpError.is(error) ? error.code : "another" }, { status: 400 });
  }
};

/** Runs two transports side by side; `accept` is called with each permitted difference. */
export const withBoth = (
  one: MakeTransport,
  other: MakeTransport,
  run: (compare: Compare) => Promise<void>,
  accept: (difference: string) => void = () => {},
): Promise<void> =>
  withServer(one, { serve }, (left) =>
    withServer(other, { serve }, (right) =>
      run(async ({ pieces, disconnect }) => {
        const clients = await Promise.all([left.connect(), right.connect()]);
        try {
          await Promise.all(clients.map((client) => sendPieces(client, pieces)));
          // The replies to a client that does not wait depend on timing; the release of all resources does not.
          if (disconnect === undefined) {
            const name = await compareReplies([left, right], clients, pieces.join(""));
            if (name !== null) accept(name);
          } else await Promise.all(clients.map((client) => disconnectBy(client, disconnect)));
        } finally {
          for (const client of clients) client.destroy();
          for (const server of [left, right]) await untilReleased(server);
        }
        if (disconnect === undefined) assert.deepEqual(left.logged, right.logged);
        for (const { logged } of [left, right]) logged.length = 0;
      }),
    ),
  );

const compareReplies = async (
  servers: readonly [TestServer, TestServer],
  clients: readonly [RawClient, RawClient],
  bytes: string,
): Promise<string | null> => {
  const outcomes = (): readonly [Outcome, Outcome] => [
    outcome(servers[0], clients[0]),
    outcome(servers[1], clients[1]),
  ];
  if (readStrictly(bytes, asLlhttp).requests.at(-1)?.body === null) {
    await turn(20); // the transports have read everything, so their timers end before this one
    await setTimeout(GRACE_MS);
  }
  await untilSettled(outcomes, bytes);
  const before = compareOutcomes(outcomes(), bytes);
  for (const client of clients) client.end();
  await Promise.all(clients.map((client) => client.untilClosed()));
  return compareOutcomes(outcomes(), bytes) ?? before;
};

/** Longer than a transport waits for a short body before it serves the request: a client that disconnects within that time causes a race. */
const GRACE_MS = 15;

const outcome = ({ served }: TestServer, { received, closed, reset }: RawClient): Outcome => ({
  received,
  closed,
  reset,
  served,
});

/** Disconnects without waiting for a reply. */
export const disconnectBy = async (client: RawClient, how: "half-closes" | "resets"): Promise<void> => {
  if (how === "resets") client.socket.resetAndDestroy();
  else client.end();
  await client.untilClosed();
};

export const sendPieces = async (client: RawClient, pieces: readonly string[]): Promise<void> => {
  for (const piece of pieces) {
    await client.send(piece);
    await turn(2);
  }
};

/** Waits for the replies of both servers. Different outcomes have half a second to become equal, and are compared again only after a change. */
const untilSettled = async (outcomes: () => readonly [Outcome, Outcome], bytes: string): Promise<void> => {
  let unchangedTurns = 0;
  let seen = "";
  let changed = performance.now();
  for (
    let isDone = false;
    unchangedTurns < (isDone ? 6 : 200) || !(isDone || performance.now() - changed > 500);
  ) {
    await (unchangedTurns < 200 ? turn(1) : setTimeout(5));
    const [one, other] = outcomes();
    const state = [one, other].map(stateOf).join(" ");
    unchangedTurns = state === seen ? unchangedTurns + 1 : 0;
    if (unchangedTurns > 0) continue;
    changed = performance.now();
    seen = state;
    isDone = isAlike(one, other) || acceptedDifference(one, other, bytes) !== null;
  }
};

/** Summary that is equal for equal outcomes: the number of bytes and requests of a connection only grows. */
const stateOf = ({ received, served, closed, reset }: Outcome): string =>
  `${received.length} ${served.length} ${closed} ${reset}`;

/** Returns the name of the accepted difference, if there is one. @throws for any other difference */
const compareOutcomes = ([one, other]: readonly [Outcome, Outcome], bytes: string): string | null => {
  if (isAlike(one, other)) return null;
  const accepted = acceptedDifference(one, other, bytes);
  if (accepted === null) {
    const shown = (given: Outcome) => ({
      received: receivedText(given),
      closed: given.closed,
      reset: given.reset,
    });
    assert.deepEqual(shown(one), shown(other));
  }
  return accepted?.name ?? null;
};

const untilReleased = async ({ transport, served, clock }: TestServer): Promise<void> => {
  await clock.advance(3000); // for a client that has its reply and keeps sending
  await eventually(() => transport.connections === 0, "the connection is gone");
  assert.equal(transport.inFlight, 0);
  served.length = 0;
};
