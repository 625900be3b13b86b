import { HttpError } from "../errors/http-error.ts";
import { ForbiddenError, GuardError } from "../errors/http-errors.ts";
import type { Invocation } from "../invocation/invocation.ts";
import type { Logger } from "../log/logger.ts";
import { type Awaitable, isPromise } from "../middleware/middleware.ts";
import type { Guard, GuardVerdict } from "./guard.ts";

/** Options of running guards. */
export interface GuardOptions {
  readonly explain?: boolean;
  readonly log?: Pick<Logger, "error">;
}

/** The error that refuses a caller, `null` for one that may pass. */
export type Denial = HttpError | null;

/** Judges one invocation. Never throws. */
export type Judge<In extends Invocation> = (invocation: In, options: GuardOptions) => Awaitable<Denial>;

/** A guard of any invocation, for what does not call it. */
type AnyGuard = Guard<never>;

/** Code of the denial that stands for a guard which failed to decide. */
const FAULT = "CORE_GUARD_FAILED";

/** Whether a denial came from a fault: it is no decision, so it must not be negated into one. */
export const isFault = (denial: HttpError): boolean => denial.code === FAULT;

/** Asks one guard. Never throws: a guard that fails has refused. */
export const judge = <In extends Invocation>(
  guard: Guard<In> | undefined,
  invocation: In,
  options: GuardOptions,
): Awaitable<Denial> => {
  try {
    if (guard === undefined) throw new TypeError("undefined is not a guard");
    const own = judges.get(guard) as Judge<In> | undefined; // `judgingGuard` keeps each with a guard of its own type
    if (own !== undefined) return own(invocation, options);
    const verdict = typeof guard === "function" ? guard(invocation) : guard.check(invocation);
    if (!isPromise(verdict)) return denialOf(verdict, guard, options);
    return verdict.then(
      (settled) => denialOf(settled, guard, options),
      (error: unknown) => denialOfThrown(error, guard, invocation, options),
    );
  } catch (error) {
    return denialOfThrown(error, guard, invocation, options);
  }
};

/** Asks guards in order until one refuses. */
export const firstDenial = <In extends Invocation>(
  guards: readonly Guard<In>[],
  invocation: In,
  options: GuardOptions,
  from = 0,
): Awaitable<Denial> => {
  for (let index = from; index < guards.length; index++) {
    const denial = judge(guards[index], invocation, options);
    if (isPromise(denial)) {
      return denial.then((settled) => settled ?? firstDenial(guards, invocation, options, index + 1));
    }
    if (denial !== null) return denial;
  }
  return null;
};

/** Judges of guards that are made of guards: `check` alone could not tell a fault from a decision. */
const judges = new WeakMap<AnyGuard, Judge<never>>();

/** Makes a guard that judges by itself. */
export const judgingGuard = <In extends Invocation>(name: string, own: Judge<In>): Guard<In> => {
  const guard: Guard<In> = {
    name,
    check(invocation) {
      const passed = (denial: Denial): void => {
        if (denial !== null) throw denial;
      };
      const denial = own(invocation, {});
      return isPromise(denial) ? denial.then(passed) : passed(denial);
    },
  };
  judges.set(guard, own);
  return guard;
};

/** Name of a guard for people. */
export const guardName = (guard: AnyGuard | null | undefined): string => {
  if (typeof guard?.name === "string" && guard.name !== "") return guard.name;
  const { constructor } = guard ?? {}; // absent where there is no prototype
  const className: unknown = typeof guard === "object" ? constructor?.name : undefined;
  return typeof className === "string" && className !== "Object" ? className : ANONYMOUS;
};

const ANONYMOUS = "anonymous guard";

/** Names the guard that refused in the reply, where it has a name. */
const blame = (name: string, { explain }: GuardOptions): { readonly guard?: string } =>
  explain === true && name !== ANONYMOUS ? { guard: name } : {};

/** The refusal "Access denied", or with a text. */
export const forbidden = (name: string, options: GuardOptions, text?: string): HttpError =>
  new ForbiddenError(text, blame(name, options));

/** Adds the name of the guard to its refusal, when asked to. */
export const explained = (denial: HttpError, name: string, options: GuardOptions): HttpError => {
  // A program may throw one frozen error again and again: it then stays as it is.
  if (options.explain === true) Reflect.set(denial, "extras", { ...denial.extras, ...blame(name, options) });
  return denial;
};

const denialOf = (verdict: GuardVerdict, guard: AnyGuard, options: GuardOptions): Denial => {
  if (verdict === true || verdict === undefined) return null;
  return forbidden(guardName(guard), options, typeof verdict === "string" ? verdict || undefined : undefined);
};

const denialOfThrown = (
  error: unknown,
  guard: AnyGuard | undefined,
  { kind, name: invocation }: Invocation,
  options: GuardOptions,
): HttpError => {
  const name = guardName(guard);
  if (isRefusal(error)) return explained(error, name, options);
  const { log = console } = options;
  log.error(`guard "${name}" failed, so the caller is refused`, { error, guard: name, kind, invocation });
  return new ForbiddenError(undefined, {
    cause: error,
    code: FAULT,
    ...blame(name, options),
  });
};

/** Whether what a guard threw is a decision: a GuardError of any status, 401 or 403. */
const isRefusal = (error: unknown): error is HttpError =>
  HttpError.is(error) &&
  (error instanceof GuardError ||
    error.name === "GuardError" ||
    error.status === 401 ||
    error.status === 403);
