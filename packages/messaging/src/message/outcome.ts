/**
 * Result of handling a message: done, retry, or reject, which makes it a dead letter.
 *
 * A handler that returns gives `done`, a handler that throws gives `retry` with its error.
 */
export type Outcome =
  | { readonly kind: "done" }
  | {
      readonly kind: "retry";
      readonly error: unknown;
      /** Delay in milliseconds; `null` for the delay of the retry policy. */
      readonly delayMs: number | null;
      /** `false` if the handler did not run, so this does not count as a try. @default true */
      readonly counts?: false;
    }
  | { readonly kind: "reject"; readonly error: unknown };

/** Outcomes of messages that were handled together, in their order, or one for all of them. */
export type Outcomes = Outcome | readonly Outcome[];

/** The outcome of a message that was handled. */
export const done: Outcome = Object.freeze({ kind: "done" });
