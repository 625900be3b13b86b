import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";

/** A call with the actions of its handler and its client, as data, so that a failure can be reproduced. Waits are turns of the event loop. */
export interface RandomCall {
  readonly kind: "Unary" | "Answers" | "Collects" | "Talks";
  /** Characters of the client's messages; a kind without a stream sends the first. */
  readonly sends: readonly number[];
  /** Characters of the handler's messages; a kind without a stream answers with the last. */
  readonly answers: readonly number[];
  /** Messages of the client that the handler reads; `null` for all. */
  readonly reads: number | null;
  /** How long the handler waits first. */
  readonly thinks: number;
  readonly ends: "well" | "with a status" | "with an error";
  /** How long the client waits before it cancels; `null` if it never does. */
  readonly cancels: number | null;
  /** Answers after which the client stops reading; `null` for all. */
  readonly stops: number | null;
}

const size = fc.oneof(fc.nat(20), fc.nat(3000), fc.nat(60_000));
const sizes = fc.array(size, { minLength: 1, maxLength: 6 });
const pause = fc.oneof(fc.constant(0), fc.nat(3), fc.nat(30));

const rarely = (given: fc.Arbitrary<number>): fc.Arbitrary<number | null> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: given });

const call: fc.Arbitrary<RandomCall> = fc.record({
  kind: fc.constantFrom("Unary", "Answers", "Collects", "Talks"),
  sends: sizes,
  answers: sizes,
  reads: rarely(fc.nat(3)),
  thinks: pause,
  ends: fc.oneof(
    { weight: 4, arbitrary: fc.constant("well" as const) },
    { weight: 1, arbitrary: fc.constantFrom("with a status" as const, "with an error" as const) },
  ),
  cancels: rarely(pause),
  stops: rarely(fc.integer({ min: 1, max: 3 })),
});

/** The calls of one connection. */
export const calls: fc.Arbitrary<RandomCall[]> = fc.array(call, { minLength: 1, maxLength: 10 });

/** The texts of one side's messages, different for each call. */
export const textsOf = (at: number, lengths: readonly number[]): string[] =>
  lengths.map(
    (length, index) => `${at}/${index}:${String.fromCharCode(97 + ((at + index) % 26)).repeat(length)}`,
  );

/** Whether the client gets a stream. */
export const isStreamed = ({ kind }: RandomCall): boolean => kind === "Answers" || kind === "Talks";

/** Whether the client sends a stream. */
export const isStreaming = ({ kind }: RandomCall): boolean => kind === "Collects" || kind === "Talks";

/** Waits some turns of the event loop. */
export const turns = async (count: number): Promise<void> => {
  for (let left = count; left > 0; left--) await nextTurn();
};
