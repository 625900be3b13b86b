/**
 * What a handler, or a middleware, decided about a message: done, another try, or a dead letter.
 *
 * A handler that returns gives `done`; one that throws, `retry` with its error.
 */
export type Outcome =
  | { readonly kind: "done" }
  | {
      readonly kind: "retry";
      readonly error: unknown;
      /** Wait in milliseconds; `null` for the retry policy's. */
      readonly delayMs: number | null;
      /** `false` when the handler did not run, so that nothing counts as a try. @default true */
      readonly counts?: false;
    }
  | { readonly kind: "reject"; readonly error: unknown };

/** The outcomes of messages that were handled together, in their order, or one for all of them. */
export type Outcomes = Outcome | readonly Outcome[];

/** The outcome of a message that needs nothing more. */
export const done: Outcome = Object.freeze({ kind: "done" });
