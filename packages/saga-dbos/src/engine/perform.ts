import { dbos } from "../driver/dbos-sdk.ts";
import { failureText, MAX_WAIT_MS, sagaContext } from "@framework/saga/feature";
import type { AnySaga } from "@framework/saga/feature";
import type {
  EffectResult,
  AttemptResult,
  ConditionsResult,
  Effect,
  SagaInput,
  PlannedAttempt,
} from "../script/effect.ts";
import { INPUT_TOPIC, type Performer } from "./performer.ts";
import { interrupted, runAttempt } from "./run-attempt.ts";

/** Performs an effect as DBOS steps: DBOS records each result, and returns the record when the workflow runs again. */
export const perform = async (performer: Performer, effect: Effect): Promise<EffectResult> => {
  if (performer.stopping.aborted) return await interrupted(); // a relaunched DBOS may still call this workflow of the previous session
  if (effect.kind === "receive") return await receive(effect.until);
  if (effect.kind === "now") return await dbos().runStep(async () => Date.now(), { name: effect.name });
  if (effect.kind === "conditions") {
    const { name } = effect;
    const result = (): ConditionsResult =>
      performer.mayHaveBegun.has(name) ? { isLost: true } : evaluate(performer.definition, effect);
    return await dbos().runStep(async () => result(), { name });
  }
  return await attempts(performer, effect.attempts);
};

const receive = async (until: number): Promise<SagaInput | null> => {
  const ms = until === Infinity ? MAX_WAIT_MS : until - Date.now();
  return await dbos().recv<SagaInput>(INPUT_TOPIC, {
    timeoutSeconds: until === 0 ? 0 : Math.max(ms, 1) / 1000,
  });
};

const evaluate = (
  definition: AnySaga,
  { step, saga }: Extract<Effect, { readonly kind: "conditions" }>,
): ConditionsResult => {
  try {
    return { holds: step.conditions.every((holds) => holds(sagaContext(definition, saga) as never)) };
  } catch (error) {
    return { error: failureText(error) };
  }
};

/** Runs attempts concurrently. */
const attempts = async (
  performer: Performer,
  planned: readonly PlannedAttempt[],
): Promise<readonly AttemptResult[]> =>
  await Promise.all(
    planned.map((each) => dbos().runStep(() => attempt(performer, each), { name: each.name })),
  );

/** Runs an attempt, unless another process had begun it: then it is recorded as lost, and the script reads inputs and decides whether to repeat it. */
const attempt = async (performer: Performer, planned: PlannedAttempt): Promise<AttemptResult> =>
  performer.mayHaveBegun.has(planned.name) ? { end: "lost", ms: 0 } : await runAttempt(performer, planned);
