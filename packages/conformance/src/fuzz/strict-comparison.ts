import assert from "node:assert/strict";
import { Response } from "@framework/core";
import { readBody, type Serve } from "@framework/core/testing";
import { disconnectBy, sendPieces } from "./differential.ts";
import type { RawClient } from "../harness/raw-client.ts";
import { type Deviations, readStrictly, type StrictReading, type StrictRequest } from "./strict-reader.ts";
import { type MakeTransport, type TestServer, turn, withServer } from "../harness/test-server.ts";
import type { Traffic } from "./traffic.ts";

/** Sends traffic to a transport, and fails if the requests of the app or the replies differ from the standard. */
export type CheckStrictly = (traffic: Traffic) => Promise<void>;

type Seen = { -readonly [Key in keyof StrictRequest]: StrictRequest[Key] };

/** Runs a transport with an app that reads every body and records it. */
export const withStrictReader = (
  make: MakeTransport,
  deviations: Deviations,
  run: (check: CheckStrictly) => Promise<void>,
): Promise<void> => {
  const seen: Seen[] = [];
  return withServer(make, { serve: recordIn(seen) }, (server) =>
    run(async ({ pieces, disconnect }) => {
      seen.length = 0;
      const expected = readStrictly(pieces.join(""), deviations);
      const client = await server.connect();
      try {
        await sendPieces(client, pieces);
        if (disconnect === undefined) await checkReplies(client, seen, expected);
        await disconnectBy(client, disconnect ?? "half-closes");
      } finally {
        client.destroy();
        await untilReleased(server);
      }
      checkRequests(seen, expected);
    }),
  );
};

const recordIn =
  (seen: Seen[]): Serve =>
  async (source) => {
    const { method, target, authority, fields } = source;
    const request: Seen = { method, target, authority, fields: [...fields], body: null };
    seen.push(request);
    try {
      request.body = Buffer.from(await readBody(source, 1_000_000)).toString("latin1");
      return Response.text("read");
    } catch {
      return Response.text("broken", { status: 400 });
    }
  };

/** Checks that a waiting client receives exactly the required replies. */
const checkReplies = async (
  client: RawClient,
  seen: readonly Seen[],
  expected: StrictReading,
): Promise<void> => {
  const { requests, end } = expected;
  const whole = requests.filter(({ body }) => body !== null).length;
  const replies = end === "open" ? whole : requests.length + (end === "refused" ? 1 : 0);
  // Counts status lines: whether a refusal has a body depends on how much of its method was parsed.
  const finals = (): number => client.received.match(/HTTP\/1\.1 [2-5]\d\d /g)?.length ?? 0;
  const isDone = (): boolean =>
    seen.length >= requests.length && finals() >= replies && (end === "open" || client.closed);
  await untilTrue(isDone, 1500);
  await turn(4);
  assert.deepEqual(seen, requests);
  // An incomplete message may be refused early.
  const early = end === "open" && finals() === replies + 1;
  if (early) await client.untilClosed();
  assert.equal(finals(), replies + (early ? 1 : 0));
  assert.equal(client.closed, end !== "open" || early);
};

/** Checks that the app sees only requests that were sent. */
const checkRequests = (seen: readonly Seen[], { requests }: StrictReading): void => {
  assert.ok(seen.length <= requests.length);
  for (const [index, { body, ...head }] of seen.entries()) {
    const { body: expectedBody, ...expectedHead } = requests[index] as StrictRequest;
    assert.deepEqual(head, expectedHead);
    if (body !== null) assert.equal(body, expectedBody);
  }
};

const untilReleased = async ({ transport, served, clock }: TestServer): Promise<void> => {
  await clock.advance(3000);
  await untilTrue(() => transport.connections === 0, 4000);
  assert.deepEqual([transport.connections, transport.inFlight], [0, 0]);
  served.length = 0;
};

/** Minimum event loop turns for a condition, in case the process was paused. */
const MIN_TURNS = 500;

/** Waits for a condition that may never hold: shrinking a difference repeats the wait many times. */
const untilTrue = async (holds: () => boolean, forMs: number): Promise<void> => {
  const end = performance.now() + forMs;
  for (let turns = 0; !holds() && (turns < MIN_TURNS || performance.now() < end); turns++) await turn(1);
};
