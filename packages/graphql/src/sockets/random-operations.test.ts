import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { subscription } from "../index.ts";
import { type Peer, serve } from "./served-library.test-kit.ts";

/** Plan of an operation, as data, so that a failure can be reproduced. Waits are turns of the event loop. */
interface RandomOperation {
  readonly kind: "query" | "subscription";
  /** Length of each event; a query returns only the last. */
  readonly events: readonly number[];
  /** Turns that the source waits before each event. */
  readonly eventWait: number;
  /** Whether the source fails after its events. */
  readonly sourceFails: boolean;
  /** Turns before the client starts the operation. */
  readonly startAfter: number;
  /** Turns after which the client completes the operation; `null` for never. */
  readonly completeAfter: number | null;
}

/** A message of the server. */
interface Message {
  readonly type: string;
  readonly payload?: { readonly data?: { readonly events?: string; readonly now?: number } | null };
}

const size = fc.oneof(fc.nat(20), fc.nat(3000), fc.nat(40_000));
const pause = fc.oneof(fc.constant(0), fc.nat(3), fc.nat(30));
const operation: fc.Arbitrary<RandomOperation> = fc.record({
  kind: fc.constantFrom("query", "subscription", "subscription"),
  events: fc.array(size, { minLength: 1, maxLength: 6 }),
  eventWait: pause,
  sourceFails: fc.constantFrom(false, false, false, true),
  startAfter: pause,
  completeAfter: fc.oneof(fc.constant(null), fc.constant(null), pause),
});

const turns = async (count: number): Promise<void> => {
  for (let left = count; left > 0; left--) await nextTurn();
};

const until = async (holds: () => boolean, condition: string): Promise<void> => {
  const end = performance.now() + 60_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`timed out: ${condition}`);
    await turns(1);
  }
};

/** Texts of an operation's events, different for each operation. */
const textsOf = (at: number, lengths: readonly number[]): string[] =>
  lengths.map(
    (length, index) => `${at}/${index}:${String.fromCharCode(97 + ((at + index) % 26)).repeat(length)}`,
  );

let plan: readonly RandomOperation[] = [];
let openSources = 0;

async function* source(at: number): AsyncGenerator<string> {
  const { events, eventWait, sourceFails } = plan[at] as RandomOperation;
  openSources++;
  try {
    for (const text of textsOf(at, events)) {
      await turns(eventWait);
      yield text;
    }
    if (sourceFails) throw new Error("a fault");
  } finally {
    openSources--;
  }
}

const lastOf = async (texts: AsyncIterable<string>): Promise<string> => {
  let last = "";
  for await (const text of texts) last = text;
  return last;
};

const schema = `
  type Query { last(at: Int!): String now: Int }
  type Subscription { events(at: Int!): String }`;
const resolvers = {
  Query: { now: () => 7, last: (_: unknown, { at }: { at: number }) => lastOf(source(at)) },
  Subscription: { events: subscription({}, (_: unknown, { at }: { at: number }) => source(at)) },
};

const messagesOf = (peer: Peer, at: number): Message[] =>
  peer.messages.filter(({ id }) => id === String(at)) as unknown as Message[];
const hasEnded = (peer: Peer, at: number): boolean =>
  messagesOf(peer, at).some(({ type }) => type === "complete" || type === "error");

/** Runs a planned operation; reuses the id immediately if the client completes it. */
const runOne = async (
  peer: Peer,
  { kind, startAfter, completeAfter }: RandomOperation,
  at: number,
): Promise<void> => {
  await turns(startAfter);
  const query = kind === "query" ? `{ last(at: ${at}) }` : `subscription { events(at: ${at}) }`;
  peer.send({ type: "subscribe", id: String(at), payload: { query } });
  if (completeAfter === null) return until(() => hasEnded(peer, at), `operation ${at} ends`);
  await turns(completeAfter);
  if (!hasEnded(peer, at)) peer.send({ type: "complete", id: String(at) });
  peer.send({ type: "subscribe", id: String(at), payload: { query: "{ now }" } });
  const isReused = (): boolean => messagesOf(peer, at).some(({ payload }) => payload?.data?.now === 7);
  await until(
    () => isReused() && messagesOf(peer, at).at(-1)?.type === "complete",
    `the id ${at} is used again`,
  );
};

const expectOutcome = (messages: readonly Message[], planned: RandomOperation, at: number): void => {
  const { kind, events, sourceFails, completeAfter } = planned;
  const all = textsOf(at, events);
  const texts = messages.flatMap(({ payload }) => payload?.data?.events ?? []);
  if (completeAfter !== null) return expect(texts).toEqual(all.slice(0, texts.length));
  if (kind === "subscription") {
    expect(texts).toEqual(all);
    return expect(messages.slice(all.length)).toMatchObject([{ type: sourceFails ? "error" : "complete" }]);
  }
  const payload = sourceFails
    ? { data: { last: null }, errors: [{ path: ["last"] }] }
    : { data: { last: all.at(-1) } };
  expect(messages).toMatchObject([{ type: "next", payload }, { type: "complete" }]);
};

test("each concurrent operation gets its own events and result while others wait, are completed or fail", async () => {
  const served = await serve({ maxSubscriptions: 10, schema, resolvers });
  expect.hasAssertions();
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 10 }), async (list) => {
      plan = list;
      const peer = await served.open();
      peer.send({ type: "connection_init" });
      await until(() => peer.messages.length > 0, "the connection is accepted");
      await Promise.all(list.map((planned, at) => runOne(peer, planned, at)));
      for (const [at, planned] of list.entries()) expectOutcome(messagesOf(peer, at), planned, at);
      await until(() => openSources === 0, "every source ends");
      peer.close();
      await peer.closed;
    }),
    { numRuns: 30, endOnFailure: true },
  );
});
