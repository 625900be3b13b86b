import type { Awaitable, Injections, Logger } from "@framework/core";
import { createInvocation, type HostState, messageOf } from "@framework/core/feature";
import { messagingError } from "../errors/messaging-error.ts";
import type { Message } from "../message/message.ts";
import { done, type Outcome } from "../message/outcome.ts";
import { outcomeOfThrown } from "../message/outcome-of-thrown.ts";
import { isDelay } from "../waiting/is-delay.ts";
import { MessageInvocation } from "./message-invocation.ts";
import { badDelay } from "./run-handler.ts";
import type { BatchVerdict } from "./subscription-options.ts";
import type { SubscriptionSpec } from "./subscription-spec.ts";
import { verifySender } from "./verify-sender.ts";

/** Dependencies of `runBatch`. */
export interface RunBatchParts {
  readonly spec: SubscriptionSpec;
  readonly state: Pick<HostState, "invoke">;
  readonly log: Logger;
}

/** Calls a batch handler with the messages whose sender is not rejected. Resolves with one outcome for each message. Never rejects. */
export const runBatch = async (
  parts: RunBatchParts,
  messages: readonly Message[],
): Promise<readonly Outcome[]> => {
  const outcomes = new Map<Message, Outcome>();
  const verify = async (message: Message): Promise<void> => {
    const refusal = await refusalOf(parts, message);
    if (refusal !== null) outcomes.set(message, refusal);
  };
  await Promise.all(messages.map(verify));
  const calls = callsOf(messages.filter((message) => !outcomes.has(message)));
  for (const call of calls)
    if (call === calls[0] || call.some(({ signal }) => !signal.aborted))
      for (const [message, outcome] of await handle(parts, call)) outcomes.set(message, outcome);
  return messages.map((message) => outcomes.get(message) ?? outcomeOf(undefined));
};

/** Splits messages into calls. Verdicts are by id, which is unique only for its source: equal ids of different sources go to different calls. */
const callsOf = (messages: readonly Message[]): readonly (readonly Message[])[] => {
  const calls: { readonly sources: Map<string, string>; readonly messages: Message[] }[] = [];
  for (const message of messages) {
    const { id, source } = message;
    let call = calls.find(({ sources }) => (sources.get(id) ?? source) === source);
    if (call === undefined) calls.push((call = { sources: new Map(), messages: [] }));
    call.sources.set(id, source);
    call.messages.push(message);
  }
  return calls.map((call) => call.messages);
};

/** Resolves with the outcome of a message whose sender is rejected or cannot be verified; otherwise with `null`. */
const refusalOf = async ({ spec, log }: RunBatchParts, message: Message): Promise<Outcome | null> => {
  try {
    await verifySender(spec, new MessageInvocation(message), log);
    return null;
  } catch (error) {
    return outcomeOfThrown(error);
  }
};

const handle = async (
  { spec, state }: RunBatchParts,
  messages: readonly Message[],
): Promise<readonly (readonly [Message, Outcome])[]> => {
  const { handler, inject } = spec;
  const [first] = messages;
  if (handler.kind !== "batch" || first === undefined) return [];
  const signal = AbortSignal.any(messages.map((message) => message.signal));
  const invocation = createInvocation({ kind: "message", name: first.meta.topic, signal });
  try {
    const verdicts = await state.invoke<Injections | undefined, ReadonlyMap<string, BatchVerdict>>(
      invocation,
      inject,
      (dependencies): Awaitable<ReadonlyMap<string, BatchVerdict>> =>
        handler.handle(messages, dependencies as never),
    );
    const verdictOn = ({ id }: Message): BatchVerdict | undefined =>
      verdicts instanceof Map ? verdicts.get(id) : undefined;
    return messages.map((message) => [message, outcomeOf(verdictOn(message))]);
  } catch (error) {
    return messages.map((message) => [message, { kind: "retry", error, delayMs: null }]);
  }
};

/** Returns the outcome of a verdict. Untyped programs may return anything; an invalid verdict must not affect the other messages. */
const outcomeOf = (
  verdict: BatchVerdict | { readonly retry: null | undefined } | null | undefined,
): Outcome => {
  if (verdict === "ack") return done;
  if (typeof verdict === "object" && verdict !== null && "reject" in verdict)
    return { kind: "reject", error: messagingError("MESSAGING_REJECTED", messageOf(verdict.reject)) };
  if (typeof verdict === "object" && verdict !== null && "retry" in verdict) {
    const { delayMs = null, error = new Error("the handler requested another try") } = verdict.retry ?? {};
    if (delayMs !== null && !isDelay(delayMs)) return { kind: "retry", error: badDelay(), delayMs: null };
    return { kind: "retry", error, delayMs };
  }
  const missing = messagingError(
    "MESSAGING_NO_DECISION",
    "the batch handler returned no verdict for the message",
  );
  return { kind: "retry", error: missing, delayMs: null };
};
