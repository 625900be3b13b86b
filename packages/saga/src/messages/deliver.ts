import type { Transaction } from "@framework/database";
import type { AnySaga } from "../definition/definition.ts";
import type { SagaRegistry } from "../definition/registry.ts";
import { notPossible } from "../errors/saga-errors.ts";
import { MAX_MESSAGES } from "../limits.ts";
import { checkedValue } from "../store/checked-value.ts";
import type { SagaStore } from "../store/saga-store.ts";
import { isEnd } from "../transitions/transitions.ts";
import type { RunQueue } from "../run-queue/run-queue.ts";
import { addMessage, countMessages, hasMessageId } from "./inbox.ts";

/** A message for the instance with a key. */
export interface SagaMessage {
  /** Key of the instance. */
  readonly key: string;
  /** Name of the `waitFor` step; SAGA_NO_WAIT if no version of the saga in the process has it. */
  readonly name: string;
  /** Id of the message, at most 400 characters: a second delivery with the same id has no effect. */
  readonly id: string;
  /** A JSON value. @default null */
  readonly data?: unknown;
}

/**
 * Result of a delivery. `resumed`: the wait ends; `kept`: the saga has not reached the wait yet; `repeated`: it already has the message; `ended`: the saga has
 * ended; `unknown`: no instance has the key.
 */
export type DeliveryResult = "resumed" | "kept" | "repeated" | "ended" | "unknown";

/** Dependencies of `deliver`. */
export interface DeliverParts {
  readonly store: SagaStore;
  readonly queue: RunQueue;
  readonly registry: Pick<SagaRegistry, "checkWait" | "versionOf">;
}

/** Delivers a message to an instance in a transaction. @throws SAGA_BAD_VALUE; SAGA_NO_WAIT; HttpError 409 if the instance has 1,000 messages */
export const deliver = async (
  { store, queue, registry }: DeliverParts,
  tx: Transaction,
  definition: AnySaga,
  { key, name, id, data = null }: SagaMessage,
): Promise<DeliveryResult> => {
  const found = await tx.fetchOne<{
    id: string;
    version: number;
  }>`SELECT id, version FROM framework_sagas WHERE name = ${definition.name} AND key = ${key}`;
  const text = await checkedMessage(registry.versionOf(definition, found?.version), name, data);
  const saga = found === null ? null : await store.load(tx, found.id, { lock: true });
  if (saga === null) return "unknown";
  if (isEnd(saga.status)) return "ended";
  registry.checkWait(saga, name);
  if ((await countMessages(tx, saga.id)) >= MAX_MESSAGES) {
    if (await hasMessageId(tx, saga.id, id)) return "repeated";
    throw notPossible(`The saga has ${MAX_MESSAGES} messages already`);
  }
  if (!(await addMessage(tx, store.now, { sagaId: saga.id, id, name, data: text }))) return "repeated";
  if (saga.status !== "waiting" || saga.waitsFor !== name) return "kept";
  await queue.replace(tx, saga);
  return "resumed";
};

/** Validates the data of a message by the schema of its wait, and returns it as JSON. @throws SAGA_BAD_VALUE */
export const checkedMessage = async ({ steps }: AnySaga, name: string, data: unknown): Promise<string> => {
  const wait = steps.find((step) => step.kind === "wait" && step.name === name);
  const schema = wait?.kind === "wait" ? wait.schema : undefined;
  return (await checkedValue(schema, data, `the message "${name}"`)) ?? "null";
};
