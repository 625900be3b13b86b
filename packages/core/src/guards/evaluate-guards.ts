import { HttpError } from "../errors/http-error.ts";
import { ForbiddenError, GuardError } from "../errors/http-errors.ts";
import type { Invocation } from "../invocation/invocation.ts";
import type { Logger } from "../log/logger.ts";
import { type Awaitable, isPromise, toPromise } from "../middleware/middleware.ts";
import type { Guard, GuardVerdict } from "./guard.ts";

/** Options for running guards. */
export interface GuardOptions {
  /** Whether the refusal names the guard. @default false */
  readonly explain?: boolean;
  /** Destination of errors that guards throw. @default console */
  readonly log?: Pick<Logger, "error">;
}

/** The error that refuses a caller, `null` to let it pass. */
export type Denial = HttpError | null;

/** Evaluates one invocation. Never throws or rejects. */
export type Evaluator<In extends Invocation> = (invocation: In, options: GuardOptions) => Awaitable<Denial>;

/** A guard of any invocation type, for code that does not call it. */
type AnyGuard = Guard<never>;

/** Code of the denial when a guard failed to decide. */
const FAULT = "CORE_GUARD_FAILED";

/** Whether a denial came from a fault: that is not a decision, so `Not` must not turn it into a pass. */
export const isFault = (denial: HttpError): boolean => denial.code === FAULT;

/** Runs one guard. Never throws or rejects: a guard that fails refuses. */
export const evaluateGuard = <In extends Invocation>(
  guard: Guard<In> | undefined,
  invocation: In,
  options: GuardOptions,
): Awaitable<Denial> => {
  try {
    if (guard === undefined) throw new TypeError("undefined is not a guard");
    const own = evaluators.get(guard) as Evaluator<In> | undefined; // `guardWithEvaluator` stores each with a guard of the same type
    if (own !== undefined) return own(invocation, options);
    const verdict = typeof guard === "function" ? guard(invocation) : guard.check(invocation);
    if (!isPromise(verdict)) return denialOf(verdict, guard, invocation, options);
    return toPromise(verdict).then(
      (settled) => denialOf(settled, guard, invocation, options),
      (error: unknown) => denialOfThrown(error, guard, invocation, options),
    );
  } catch (error) {
    return denialOfThrown(error, guard, invocation, options);
  }
};

/** Runs guards in order until one refuses. */
export const firstDenial = <In extends Invocation>(
  guards: readonly Guard<In>[],
  invocation: In,
  options: GuardOptions,
  from = 0,
): Awaitable<Denial> => {
  for (let index = from; index < guards.length; index++) {
    const denial = evaluateGuard(guards[index], invocation, options);
    if (isPromise(denial)) {
      return denial.then((settled) => settled ?? firstDenial(guards, invocation, options, index + 1));
    }
    if (denial !== null) return denial;
  }
  return null;
};

/** The evaluators of combined guards: `check` alone cannot distinguish a fault from a decision. */
const evaluators = new WeakMap<AnyGuard, Evaluator<never>>();

/** Creates a guard with its own evaluator. @param readsCaller as in `GuardObject` */
export const guardWithEvaluator = <In extends Invocation>(
  name: string,
  own: Evaluator<In>,
  readsCaller = false,
): Guard<In> => {
  const guard: Guard<In> = {
    name,
    readsCaller,
    check(invocation) {
      const throwDenial = (denial: Denial): void => {
        if (denial !== null) throw denial;
      };
      const denial = own(invocation, {});
      return isPromise(denial) ? denial.then(throwDenial) : throwDenial(denial);
    },
  };
  evaluators.set(guard, own);
  return guard;
};

/** Returns the display name of a guard. */
export const guardName = (guard: AnyGuard | null | undefined): string => {
  if (typeof guard?.name === "string" && guard.name !== "") return guard.name;
  const { constructor } = guard ?? {}; // absent without a prototype
  const className: unknown = typeof guard === "object" ? constructor?.name : undefined;
  return typeof className === "string" && className !== "Object" ? className : ANONYMOUS;
};

const ANONYMOUS = "anonymous guard";

/** Returns the extra member of the reply that names the guard; empty without `explain` or a name. */
const guardExtra = (name: string, { explain }: GuardOptions): { readonly guard?: string } =>
  explain === true && name !== ANONYMOUS ? { guard: name } : {};

/** Creates a 403 with the text, by default "Access denied". */
export const forbidden = (name: string, options: GuardOptions, text?: string): HttpError =>
  new ForbiddenError(text, guardExtra(name, options));

/** Adds the guard's name to its refusal when `explain` is set. */
export const addGuardName = (denial: HttpError, name: string, options: GuardOptions): HttpError => {
  // A frozen error, which a program may throw repeatedly, stays unchanged.
  if (options.explain === true)
    Reflect.set(denial, "extras", { ...denial.extras, ...guardExtra(name, options) });
  return denial;
};

const denialOf = (
  verdict: GuardVerdict,
  guard: AnyGuard,
  invocation: Invocation,
  options: GuardOptions,
): Denial => {
  if (verdict === true || verdict === undefined) return null;
  if (verdict === false) return forbidden(guardName(guard), options);
  if (typeof verdict === "string") return forbidden(guardName(guard), options, verdict || undefined);
  // Untyped guards may return anything. That is not a decision, so `Not` must not turn it into a pass.
  const received = verdict === null ? "null" : `a value of type ${typeof verdict}`;
  const error = new TypeError(
    `it returned ${received}; a guard must return true, false or a string, or throw`,
  );
  return denialOfThrown(error, guard, invocation, options);
};

const denialOfThrown = (
  error: unknown,
  guard: AnyGuard | undefined,
  { kind, name: invocation }: Invocation,
  options: GuardOptions,
): HttpError => {
  const name = guardName(guard);
  if (isRefusal(error)) return addGuardName(error, name, options);
  const { log = console } = options;
  log.error(`guard "${name}" failed and did not admit the caller`, { error, guard: name, kind, invocation });
  return new ForbiddenError(undefined, {
    cause: error,
    code: FAULT,
    ...guardExtra(name, options),
  });
};

/** Whether a thrown error is a decision: a GuardError of any status, 401 or 403. */
const isRefusal = (error: unknown): error is HttpError =>
  HttpError.is(error) &&
  (error instanceof GuardError ||
    error.name === "GuardError" ||
    error.status === 401 ||
    error.status === 403);
