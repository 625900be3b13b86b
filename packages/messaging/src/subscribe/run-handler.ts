import type { Awaitable, Handler, Injections, Invocation, Logger, Middleware } from "@framework/core";
import { compose, type HostState, isPromise, mapAwaitable, messageOf } from "@framework/core/feature";
import type { Transaction } from "@framework/database";
import { messagingError } from "../errors/messaging-error.ts";
import { withSignal } from "../message/incoming-message.ts";
import type { Message, MessageContext } from "../message/message.ts";
import { done, type Outcome } from "../message/outcome.ts";
import { outcomeOfThrown } from "../message/outcome-of-thrown.ts";
import { delayRule, isDelay } from "../waiting/is-delay.ts";
import { MessageInvocation } from "./message-invocation.ts";
import type { SubscriptionSpec } from "./subscription-spec.ts";
import { verifySender } from "./verify-sender.ts";

/** Dependencies of `runHandler`. */
export interface RunHandlerParts {
  readonly spec: SubscriptionSpec;
  readonly state: Pick<HostState, "invoke">;
  readonly log: () => Logger;
  readonly middleware: readonly Middleware<Message, Outcome>[];
  /** Runs a try in a transaction of the inbox and replies after its commit; `null` without an inbox. */
  readonly inbox: ((message: Message, work: InboxWork) => Promise<Outcome>) | null;
  /** Sends the handler's return value to a sender that requests a reply. */
  readonly reply: (message: Message, value: unknown) => Awaitable<void>;
  /** Replies with a failure to a sender that requests a reply; the handler is not called again. */
  readonly replyFailure: (message: Message, error: unknown) => Awaitable<void>;
}

/** Calls the handler with a message in a transaction. @param keep called with its return value, which is the reply after the commit */
export type InboxWork = (
  message: Message,
  tx: Transaction,
  keep: (value: unknown) => void,
) => Promise<Outcome>;

/** Creates the function that handles one message: middleware, `auth`, guards, dependencies, handler. It never throws. */
export const runHandler = (parts: RunHandlerParts): Handler<Message, Outcome> => {
  const inner: Handler<Message, Outcome> =
    parts.inbox === null
      ? (message) => call(parts, message, null)
      : (message) => inTransaction(parts, message);
  if (parts.middleware.length === 0) return compose([], inner, outcomeOfThrown);
  const handle = compose(parts.middleware, (message) => inner(withSignal(message)), outcomeOfThrown);
  return (message) => mapAwaitable(handle(message), outcomeOfMiddleware);
};

/** Checks the result of a middleware: untyped programs can forget to return the result of `next`. */
const outcomeOfMiddleware = (outcome: unknown): Outcome =>
  typeof outcome === "object" && outcome !== null && "kind" in outcome ? (outcome as Outcome) : noOutcome;

const inTransaction = (parts: RunHandlerParts, message: Message): Awaitable<Outcome> => {
  const { inbox } = parts;
  if (inbox === null) return call(parts, message, null);
  return inbox(message, async (opened, tx, keep) => {
    const reply = (_message: Message, value: unknown): void => keep(value);
    return await call({ ...parts, reply }, opened, tx);
  });
};

const call = (parts: RunHandlerParts, message: Message, tx: Transaction | null): Awaitable<Outcome> => {
  const { spec, state, log, replyFailure } = parts;
  const { handler, guards, auth } = spec;
  if (handler.kind !== "single") throw new Error("messaging: a batch handler cannot handle a single message");
  const invocation = new MessageInvocation(message);
  const decision = new Decision(invocation, tx);
  const onThrown = (error: unknown): Awaitable<Outcome> => {
    const { outcome } = decision;
    if (outcome === null || (outcome.kind === "done" && tx !== null)) throw error; // rolls back the transaction, and with it the `ack`
    warnOfThrown(log(), message, { outcome, error });
    if (outcome.kind !== "done" || message.signal.aborted) return outcome; // a dead letter sends its own reply, and another try may succeed
    return mapAwaitable(replyFailure(message, error) as Awaitable<unknown>, () => outcome);
  };
  const run = (): Awaitable<Outcome> => {
    let value: unknown;
    try {
      value = state.invoke<Injections | undefined, unknown>(invocation, spec.inject, (dependencies) =>
        handler.handle(message, decision, dependencies as never),
      );
    } catch (error) {
      return onThrown(error);
    }
    if (!isPromise(value)) return onReturned(parts, message, decision, value);
    return value.then((settled) => onReturned(parts, message, decision, settled), onThrown);
  };
  if (auth === undefined && guards.length === 0) return run();
  return mapAwaitable(verifySender(spec, invocation, log()), run);
};

const onReturned = (
  { spec, reply }: RunHandlerParts,
  message: Message,
  { outcome }: Decision,
  value: unknown,
): Awaitable<Outcome> => {
  if (outcome === null && spec.ack === "manual") return noDecision;
  if (outcome !== null && outcome.kind !== "done") return outcome;
  return mapAwaitable(reply(message, value) as Awaitable<unknown>, () => done);
};

const decisionNames: Readonly<Record<Outcome["kind"], keyof MessageContext>> = {
  done: "ack",
  retry: "retry",
  reject: "reject",
};

const warnOfThrown = (
  log: Logger,
  { id, type, meta: { topic, group } }: Message,
  { outcome, error }: { readonly outcome: Outcome; readonly error: unknown },
): void => {
  const decision = decisionNames[outcome.kind];
  const text = `messaging: a handler threw after its decision, which is kept: ${decision}`;
  log.warn(text, { topic, group, id, type, error });
};

const noDecision: Outcome = {
  kind: "retry",
  error: messagingError("MESSAGING_NO_DECISION", "the handler returned without ack, retry or reject"),
  delayMs: null,
};

const noOutcome: Outcome = {
  kind: "retry",
  error: messagingError(
    "MESSAGING_NO_DECISION",
    "a middleware returned no outcome; it must return the result of `next`",
  ),
  delayMs: null,
};

/** Creates the error of a handler that requests an invalid delay. */
export const badDelay = (): Error =>
  messagingError("MESSAGING_BAD_CONFIG", `delayMs of a retry must be ${delayRule}`);

/** Records the decision of a handler; the first one counts. Its functions are bound, so that handlers can destructure it, and created when they are read. */
class Decision implements MessageContext {
  outcome: Outcome | null = null;
  readonly invocation: Invocation;
  private readonly transaction: Transaction | null;

  constructor(invocation: Invocation, transaction: Transaction | null) {
    this.invocation = invocation;
    this.transaction = transaction;
  }

  get tx(): Transaction {
    if (this.transaction !== null) return this.transaction;
    throw messagingError("MESSAGING_BAD_CONFIG", '`context.tx` needs a subscription with dedupe: "inbox"');
  }

  get ack(): MessageContext["ack"] {
    return () => void (this.outcome ??= done);
  }

  get retry(): MessageContext["retry"] {
    return ({ delayMs } = {}) => {
      if (delayMs !== undefined && !isDelay(delayMs)) throw badDelay();
      const error = new Error("the handler requested another try");
      this.outcome ??= { kind: "retry", error, delayMs: delayMs ?? null };
    };
  }

  get reject(): MessageContext["reject"] {
    return (reason) => {
      this.outcome ??= { kind: "reject", error: messagingError("MESSAGING_REJECTED", messageOf(reason)) };
    };
  }
}
