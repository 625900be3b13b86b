import type { RequestStep, RequestTrace, StepInfo } from "./request-steps.ts";

/** A step of a request, for `framework explain` and the dev page. */
export interface StepReport {
  /** `ran` to its end, `answered` without calling the next step, `failed` with an error, `skipped` by the app, or `not reached`. */
  readonly outcome: "ran" | "answered" | "failed" | "skipped" | "not reached";
  /** Kind of the step, such as `middleware` or `handler`. */
  readonly kind: StepInfo["kind"];
  /** Name of its feature, its function, or the step itself. */
  readonly name: string;
  /** Stage of a middleware; `null` without one. */
  readonly stage: string | null;
  /** Milliseconds of the step itself, without the steps inside it; `null` if it did not run or has not ended. */
  readonly ownMs: number | null;
  /** Reasons for the outcome, given by the feature or the app. */
  readonly reasons: readonly string[];
}

/** Lists the steps of a request, outermost first; a step that a retry ran again is listed again. */
export const stepReports = ({ chain, steps }: RequestTrace): readonly StepReport[] => {
  const stopped = steps.findLast(({ passedOn, kind }) => !passedOn && kind !== "handler");
  return chain.flatMap((info) => {
    const { kind, name, stage, absent } = info;
    const base = { kind, name, stage, ownMs: null };
    if (absent !== undefined) return [{ ...base, outcome: "skipped" as const, reasons: [absent] }];
    const reached = steps.filter((step) => isStepOf(step, info, steps, chain));
    if (reached.length > 0) return reached.map(reportOf);
    const reason = stopped === undefined ? "no step called it" : `${stopped.name} ended the request earlier`;
    return [{ ...base, outcome: "not reached" as const, reasons: [reason] }];
  });
};

/** Several steps may have one name and stage, as two guards may: the n-th entry of the chain is the n-th such step. */
const isStepOf = (
  step: RequestStep,
  info: StepInfo,
  steps: readonly RequestStep[],
  chain: readonly StepInfo[],
): boolean => {
  if (!isAlike(step, info)) return false;
  const entries = chain.filter((entry) => isAlike(entry, info));
  const alike = steps.filter((other) => isAlike(other, info));
  return entries.length === 1 || alike.indexOf(step) % entries.length === entries.indexOf(info);
};

const isAlike = (one: StepInfo, other: StepInfo): boolean =>
  one.kind === other.kind &&
  one.name === other.name &&
  one.feature === other.feature &&
  one.stage === other.stage;

const reportOf = (step: RequestStep): StepReport => {
  const { kind, name, stage, durationMs, innerMs, passedOn, error, reasons, status } = step;
  const ownMs = durationMs === null ? null : Math.max(0, durationMs - innerMs);
  const outcome = error !== null ? "failed" : passedOn || kind === "handler" ? "ran" : "answered";
  const words = error === null ? (outcome === "answered" ? [`answered ${status} itself`] : []) : [error];
  const verdict = kind === "guard" && error === null ? ["passed"] : [];
  const all = [...verdict, ...words, ...reasons];
  return { outcome, kind, name, stage, ownMs, reasons: all.length > 0 ? all : [plainReason(step)] };
};

/** The default reason, for a step that gives none. */
const plainReason = ({ kind, status }: RequestStep): string =>
  kind === "handler" ? `answered ${status}` : "passed the request on";
