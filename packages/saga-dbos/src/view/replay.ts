import { type AnySaga, failureText } from "@framework/saga/feature";
import type { EffectResult, ConditionsResult, Effect, FailedAttempt, SagaInput } from "../script/effect.ts";
import { Progress, type SagaStart } from "../script/progress.ts";
import { sagaScript } from "../script/saga-script.ts";

/** A step recorded by DBOS. */
export interface StepRecord {
  readonly name: string;
  readonly output: unknown;
  /** Unix milliseconds. */
  readonly endedAt: number;
}

/** The stored data of an instance: its start and its records. */
export interface InstanceRecords {
  readonly id: string;
  readonly start: SagaStart;
  readonly createdAt: number;
  /** Records in the order in which the script requested them. */
  readonly records: readonly StepRecord[];
}

/** Name of the records of inputs. */
const INPUT_RECORD = "DBOS.recv";

/** Runs the script with the existing records, up to the first effect without one, and returns the state of the instance there. */
export const replay = (definition: AnySaga, recorded: InstanceRecords): Progress =>
  walk(definition, recorded).saga;

/** Returns the names of the first effect without complete records, which a lost process may have begun. */
export const unrecordedEffects = (definition: AnySaga, recorded: InstanceRecords): ReadonlySet<string> => {
  const { effect } = walk(definition, recorded);
  return new Set(effect === null || effect.kind === "receive" ? [] : namesOf(effect));
};

interface WalkResult {
  readonly saga: Progress;
  /** The first effect without a record; `null` at the end. */
  readonly effect: Effect | null;
}

const walk = (definition: AnySaga, { id, start, createdAt, records }: InstanceRecords): WalkResult => {
  const saga = new Progress(definition, id, start, createdAt);
  const byName = new Map(records.map((record) => [record.name, record]));
  const inputs = records.filter(({ name }) => name === INPUT_RECORD).values();
  const script = sagaScript(saga);
  for (let { done, value } = script.next(); done !== true;) {
    const effect = value as Effect;
    const found = recordOf(effect, byName, inputs);
    if (found === null) return { saga, effect };
    saga.at = found.at;
    ({ done, value } = script.next(found.result));
  }
  return { saga, effect: null };
};

interface EffectRecord {
  readonly result: EffectResult;
  readonly at: number;
}

const recordOf = (
  effect: Effect,
  byName: ReadonlyMap<string, StepRecord>,
  inputs: Iterator<StepRecord>,
): EffectRecord | null => {
  if (effect.kind === "receive") {
    const { value, done } = inputs.next();
    return done === true ? null : { result: value.output as SagaInput | null, at: value.endedAt };
  }
  const records = namesOf(effect).map((name) => byName.get(name));
  if (!records.every((record) => record !== undefined)) return null;
  const outputs = records.map(({ name, output }) => output ?? resultOfError(effect, name));
  const result = (effect.kind === "attempts" ? outputs : outputs[0]) as EffectResult;
  return { result, at: Math.max(...records.map(({ endedAt }) => endedAt)) };
};

/** Steps of effects never reject, but DBOS itself may record an error: the step then has no output, and its workflow has failed. */
const resultOfError = ({ kind }: Effect, name: string): FailedAttempt | ConditionsResult | null => {
  if (kind === "now") return null;
  const error = failureText(
    new Error(`DBOS recorded no result of the step "${name}"; look for its error there`),
  );
  if (kind === "conditions") return { error };
  return { end: "bug", error, isOver: true, isUnknown: false, delayMs: 0, ms: 0 };
};

const namesOf = (effect: Exclude<Effect, { readonly kind: "receive" }>): readonly string[] =>
  effect.kind === "attempts" ? effect.attempts.map(({ name }) => name) : [effect.name];
