import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { subscription } from "../index.ts";
import { type Peer, serve } from "./served-library.test-kit.ts";

/** An operation of a connection, as data, so that a failure can be reproduced. Waits are turns of the event loop. */
interface RandomOperation {
  readonly kind: "query" | "subscription";
  /** Characters of each event; a query answers with the last. */
  readonly events: readonly number[];
  /** How long the source waits before each event. */
  readonly waits: number;
  /** Whether the source fails after its events. */
  readonly fails: boolean;
  /** How long the client waits before it begins the operation. */
  readonly begins: number;
  /** How long the client waits before it completes the operation; `null` if it never does. */
  readonly completes: number | null;
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
  waits: pause,
  fails: fc.constantFrom(false, false, false, true),
  begins: pause,
  completes: fc.oneof(fc.constant(null), fc.constant(null), pause),
});

const turns = async (count: number): Promise<void> => {
  for (let left = count; left > 0; left--) await nextTurn();
};

const until = async (holds: () => boolean, what: string): Promise<void> => {
  const end = performance.now() + 60_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`never: ${what}`);
    await turns(1);
  }
};

/** The texts of an operation's events, different for each operation. */
const textsOf = (at: number, lengths: readonly number[]): string[] =>
  lengths.map(
    (length, index) => `${at}/${index}:${String.fromCharCode(97 + ((at + index) % 26)).repeat(length)}`,
  );

let plan: readonly RandomOperation[] = [];
let openSources = 0;

async function* source(at: number): AsyncGenerator<string> {
  const { events, waits, fails } = plan[at] as RandomOperation;
  openSources++;
  try {
    for (const text of textsOf(at, events)) {
      await turns(waits);
      yield text;
    }
    if (fails) throw new Error("a fault");
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

const of = (peer: Peer, at: number): Message[] =>
  peer.messages.filter(({ id }) => id === String(at)) as unknown as Message[];
const isOver = (peer: Peer, at: number): boolean =>
  of(peer, at).some(({ type }) => type === "complete" || type === "error");

/** Runs a planned operation; the id of a completed one is reused at once. */
const runOne = async (
  peer: Peer,
  { kind, begins, completes }: RandomOperation,
  at: number,
): Promise<void> => {
  await turns(begins);
  const query = kind === "query" ? `{ last(at: ${at}) }` : `subscription { events(at: ${at}) }`;
  peer.send({ type: "subscribe", id: String(at), payload: { query } });
  if (completes === null) return until(() => isOver(peer, at), `operation ${at} ends`);
  await turns(completes);
  if (!isOver(peer, at)) peer.send({ type: "complete", id: String(at) });
  peer.send({ type: "subscribe", id: String(at), payload: { query: "{ now }" } });
  const answered = (): boolean => of(peer, at).some(({ payload }) => payload?.data?.now === 7);
  await until(() => answered() && of(peer, at).at(-1)?.type === "complete", `the id ${at} is used again`);
};

const expectOutcome = (messages: readonly Message[], planned: RandomOperation, at: number): void => {
  const { kind, events, fails, completes } = planned;
  const all = textsOf(at, events);
  const texts = messages.flatMap(({ payload }) => payload?.data?.events ?? []);
  if (completes !== null) return expect(texts).toEqual(all.slice(0, texts.length));
  if (kind === "subscription") {
    expect(texts).toEqual(all);
    return expect(messages.slice(all.length)).toMatchObject([{ type: fails ? "error" : "complete" }]);
  }
  const payload = fails
    ? { data: { last: null }, errors: [{ path: ["last"] }] }
    : { data: { last: all.at(-1) } };
  expect(messages).toMatchObject([{ type: "next", payload }, { type: "complete" }]);
};

test("each of many operations has its own events and end, whichever others wait, are completed or fail", async () => {
  const served = await serve({ maxSubscriptions: 10, schema, resolvers });
  expect.hasAssertions();
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 10 }), async (list) => {
      plan = list;
      const peer = await served.open();
      peer.send({ type: "connection_init" });
      await until(() => peer.messages.length > 0, "the connection is accepted");
      await Promise.all(list.map((planned, at) => runOne(peer, planned, at)));
      for (const [at, planned] of list.entries()) expectOutcome(of(peer, at), planned, at);
      await until(() => openSources === 0, "every source ends");
      peer.close();
      await peer.closed;
    }),
    { numRuns: 30, endOnFailure: true },
  );
});
