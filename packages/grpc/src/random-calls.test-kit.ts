import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";

/** Plan of a call: the actions of its handler and its client, as data, so that a failure can be reproduced. Waits are turns of the event loop. */
export interface RandomCall {
  readonly kind: "Unary" | "ServerStream" | "ClientStream" | "Bidirectional";
  /** Length of each message of the client; a kind without a request stream sends only the first. */
  readonly requests: readonly number[];
  /** Length of each message of the handler; a kind without a response stream returns only the last. */
  readonly responses: readonly number[];
  /** Number of messages that the handler reads; `null` for all. */
  readonly maxReads: number | null;
  /** Turns that the handler waits first. */
  readonly handlerWait: number;
  readonly ends: "successfully" | "with a status" | "with an error";
  /** Turns after which the client cancels; `null` for never. */
  readonly cancelAfter: number | null;
  /** Number of responses after which the client stops reading; `null` for all. */
  readonly stopAfter: number | null;
}

const size = fc.oneof(fc.nat(20), fc.nat(3000), fc.nat(60_000));
const sizes = fc.array(size, { minLength: 1, maxLength: 6 });
const pause = fc.oneof(fc.constant(0), fc.nat(3), fc.nat(30));

const rarely = (given: fc.Arbitrary<number>): fc.Arbitrary<number | null> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: given });

const call: fc.Arbitrary<RandomCall> = fc.record({
  kind: fc.constantFrom("Unary", "ServerStream", "ClientStream", "Bidirectional"),
  requests: sizes,
  responses: sizes,
  maxReads: rarely(fc.nat(3)),
  handlerWait: pause,
  ends: fc.oneof(
    { weight: 4, arbitrary: fc.constant("successfully" as const) },
    { weight: 1, arbitrary: fc.constantFrom("with a status" as const, "with an error" as const) },
  ),
  cancelAfter: rarely(pause),
  stopAfter: rarely(fc.integer({ min: 1, max: 3 })),
});

/** The calls of one connection. */
export const calls: fc.Arbitrary<RandomCall[]> = fc.array(call, { minLength: 1, maxLength: 10 });

/** Texts of the messages of one side, different for each call. */
export const textsOf = (at: number, lengths: readonly number[]): string[] =>
  lengths.map(
    (length, index) => `${at}/${index}:${String.fromCharCode(97 + ((at + index) % 26)).repeat(length)}`,
  );

/** Whether the response is a stream. */
export const hasResponseStream = ({ kind }: RandomCall): boolean =>
  kind === "ServerStream" || kind === "Bidirectional";

/** Whether the request is a stream. */
export const hasRequestStream = ({ kind }: RandomCall): boolean =>
  kind === "ClientStream" || kind === "Bidirectional";

/** Waits some turns of the event loop. */
export const turns = async (count: number): Promise<void> => {
  for (let left = count; left > 0; left--) await nextTurn();
};
