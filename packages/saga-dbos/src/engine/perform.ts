import { dbos } from "../driver/dbos-sdk.ts";
import { failureText, MAX_WAIT_MS, sagaContext } from "@framework/saga/feature";
import type { AnySaga } from "@framework/saga/feature";
import type {
  Answer,
  AttemptResult,
  ConditionsResult,
  Effect,
  Letter,
  PlannedAttempt,
} from "../script/effect.ts";
import { LETTERS, type Performer } from "./performer.ts";
import { runAttempt } from "./run-attempt.ts";

/** Performs an effect as steps of DBOS, which records each result and returns the record when the workflow runs again. */
export const perform = async (performer: Performer, effect: Effect): Promise<Answer> => {
  if (effect.kind === "receive") return await receive(effect.until);
  if (effect.kind === "now") return await dbos().runStep(async () => Date.now(), { name: effect.name });
  if (effect.kind === "conditions") {
    const { name } = effect;
    return await dbos().runStep(async () => ask(performer.definition, effect), { name });
  }
  return await attempts(performer, effect.attempts);
};

const receive = async (until: number): Promise<Letter | null> => {
  const ms = until === Infinity ? MAX_WAIT_MS : until - Date.now();
  return await dbos().recv<Letter>(LETTERS, { timeoutSeconds: until === 0 ? 0 : Math.max(ms, 1) / 1000 });
};

const ask = (
  definition: AnySaga,
  { step, saga }: Extract<Effect, { readonly kind: "conditions" }>,
): ConditionsResult => {
  try {
    return { holds: step.conditions.every((holds) => holds(sagaContext(definition, saga) as never)) };
  } catch (error) {
    return { error: failureText(error) };
  }
};

/**
 * Runs attempts side by side. Those that must know whether an attempt has begun record that first: where the record is there and this run has not made it,
 * another process was lost during the attempt.
 */
const attempts = async (
  performer: Performer,
  planned: readonly PlannedAttempt[],
): Promise<readonly AttemptResult[]> => {
  const begunHere = new Set<string>();
  for (const { name, branch, isUndo } of planned) {
    if (isUndo || branch.onUnknown === "retry") continue;
    await dbos().runStep(async () => void begunHere.add(name), { name: beginOf(name) });
  }
  return await Promise.all(
    planned.map((each) => {
      const isUnknown = !each.isUndo && each.branch.onUnknown !== "retry" && !begunHere.has(each.name);
      return dbos().runStep(() => runAttempt(performer, each, isUnknown), { name: each.name });
    }),
  );
};

/** Name of the record that an attempt has begun. */
export const beginOf = (name: string): string => `${name} begins`;
