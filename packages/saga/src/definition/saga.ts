import type { InferInput, InferOutput, StandardSchema } from "@framework/core";
import { newSteps, SagaBuilder } from "./saga-builder.ts";
import type { StoredOutput } from "./stored.ts";

/** Input as passed to the steps of a saga: the output of the schema, after a JSON round trip. */
type StepInput<S extends StandardSchema | undefined> = S extends StandardSchema
  ? StoredOutput<InferOutput<S>>
  : unknown;
/** Input as passed by callers. */
type CallerInput<S extends StandardSchema | undefined> = S extends StandardSchema ? InferInput<S> : unknown;

/**
 * Returns a builder for the definition of a saga. The steps are data: an instance stores its position and the outputs of its steps, and no code is replayed.
 *
 * @param name 1 to 64 letters, digits and `. _ -`, the same in every process
 * @param version number of this list of steps, from 1; a changed list needs a new number while instances of the old one are running
 * @param input Standard Schema of the input, checked at `start`. @default any JSON value
 *
 * @example
 * const checkout = saga("checkout", 1, OrderInput)
 *   .tx("reserve", ({ input }, tx) => reserve(tx, input.book), { undo: (_, place, tx) => release(tx, place) })
 *   .call("charge", ({ input, idempotencyKey }) => charge(input.card, idempotencyKey), {
 *     undo: ({ stepKey, idempotencyKey }) => refund({ charge: stepKey }, idempotencyKey),
 *   })
 *   .waitFor("packed", { timeout: "24h" })
 *   .build();
 */
export const saga = <S extends StandardSchema | undefined = undefined>(
  name: string,
  version: number,
  input?: S,
): SagaBuilder<CallerInput<S>, StepInput<S>, Record<never, never>> =>
  new SagaBuilder({ name, version, schema: input, list: newSteps(), conditions: [] });
