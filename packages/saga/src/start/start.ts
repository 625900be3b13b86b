import type { Transaction } from "@framework/database";
import type { AnySaga } from "../definition/definition.ts";
import { badValue } from "../errors/saga-errors.ts";
import { intents } from "../run/arrive.ts";
import { checkedValue } from "../store/checked-value.ts";
import type { SagaStore } from "../store/saga-store.ts";
import type { RunQueue } from "../run-queue/run-queue.ts";

/** Options of `start`. */
export interface StartOptions {
  /** Key of the instance, such as the id of an order, at most 400 characters. Each key has one instance. */
  readonly key: string;
  /** Transaction that starts it. @default a separate one */
  readonly tx?: Transaction | undefined;
  /** `traceparent` of the operation that starts it, for traces. @default the current one, if a tracer is enabled */
  readonly trace?: string | undefined;
}

/** The started instance, or the existing one with its key. */
export interface StartResult {
  /** Id of the instance. */
  readonly id: string;
  /** Whether this call started it. */
  readonly isNew: boolean;
}

/** Dependencies of `startIn`. */
export interface StartParts {
  readonly store: SagaStore;
  readonly queue: RunQueue;
  readonly newId: () => string;
}

const MAX_KEY = 400;
const MAX_TRACE = 200;

/** Checks an input and returns it as JSON. @throws SAGA_BAD_VALUE */
export const checkedInput = async ({ input: schema, name }: AnySaga, input: unknown): Promise<string> =>
  (await checkedValue(schema, input, `the input of "${name}"`)) ?? "null";

/** Starts an instance in a transaction, with the intents of its first step. @param input JSON */
export const startIn = async (
  { store, queue, newId }: StartParts,
  tx: Transaction,
  definition: AnySaga,
  { key, input, trace }: { readonly key: string; readonly input: string; readonly trace: string | null },
): Promise<StartResult> => {
  const { name, version, hash, steps } = definition;
  const [first] = steps;
  const branches = first !== undefined && first.conditions.length === 0 ? intents(first, 0) : [];
  const started = await store.add(tx, { id: newId(), name, version, hash, key, input, trace, branches });
  if (started.isNew) await queue.add(tx, { id: started.id, name, version }, 0);
  return started;
};

/** Checks the key of an instance, or the id of a message. @throws SAGA_BAD_VALUE */
export const checkKey = (key: unknown, subject = "the key"): void => {
  if (
    typeof key === "string" &&
    key !== "" &&
    key.length <= MAX_KEY &&
    key.isWellFormed() &&
    !key.includes("\0")
  )
    return;
  throw badValue(`${subject} must be a string of 1 to ${MAX_KEY} characters without NUL or lone surrogates`);
};

/** Returns the stored form of a trace; `null` if there is none, if it has invalid characters, or if an untyped program passes another value. */
export const storedTrace = (trace: unknown): string | null =>
  typeof trace !== "string" || !/^[\x21-\x7e]+$/.test(trace) ? null : trace.slice(0, MAX_TRACE);
