import { messagingError } from "../errors/messaging-error.ts";
import type { Outcome } from "../message/outcome.ts";

/** Delay in milliseconds before a message that waits for another one is tried again. */
const WAIT_MS = 100;

/** Delay in milliseconds after a try that could not begin. */
const UNAVAILABLE_MS = 1000;

/** Reasons of `waitOutcome`. */
export const SUSPECT =
  "an earlier attempt of the message never ended; the message waits until no other such message runs";
export const COPY = "a copy of the message is being handled";

/** Returns the outcome of a message that waits for another one. */
export const waitOutcome = (reason: string): Outcome => ({
  kind: "retry",
  error: messagingError("MESSAGING_LOST", reason),
  delayMs: WAIT_MS,
  counts: false,
});

/** Returns the outcome of a try that could not begin. */
export const unavailableOutcome = (error: unknown): Outcome => ({
  kind: "retry",
  error,
  delayMs: UNAVAILABLE_MS,
  counts: false,
});

/**
 * Returns the outcome of a message that has no try left although it is neither done nor a dead letter: a process died, or lost the message, during a try or before it
 * stored the dead letter.
 *
 * @param ended number of tries that have ended
 */
export const usedUpOutcome = (tries: number, ended: number): Outcome => ({
  kind: "reject",
  error: messagingError("MESSAGING_LOST", usedUpText(tries, tries - ended)),
});

const usedUpText = (tries: number, open: number): string =>
  open <= 0
    ? `all ${tries} tries of the message have failed, but their process died before it stored the dead letter`
    : `${open} of ${tries} tries of the message ${open === 1 ? "has" : "have"} not ended; it may kill its process`;
