import { type Awaitable, ForbiddenError, type Invocation } from "@framework/core";
import { markHandled, isPromise, mapAwaitable } from "@framework/core/feature";
import type { CallbackTimer } from "../callback-timeout.ts";
import { authError } from "../errors.ts";
import { JwtClaims, principalOf } from "@framework/core/feature";
import { noCaller } from "./no-caller.ts";

/**
 * Returns the roles or permissions of one identity, for example from a database. Called with the user, the claims of the token or the name of the
 * API key, once for each identity of the caller.
 */
export type ResolveGrants = (identity: unknown, invocation: Invocation) => Awaitable<Grants>;

/** Roles or permissions: a list, or a string separated by commas or spaces; `null` or `undefined` for none. */
export type Grants = readonly string[] | string | null | undefined;

/** The requirement of a role or permission guard. */
export interface GrantRule {
  /** The required roles or permissions. */
  readonly required: readonly string[];
  readonly requireAll: boolean;
  readonly userKey: string;
  /** Properties of an identity that contain its roles or permissions. */
  readonly members: readonly string[];
  readonly resolve: ResolveGrants | undefined;
  readonly timer: CallbackTimer;
  /** Kind of the required names, for messages. */
  readonly kind: "roles" | "permissions";
}

/** Returns a guard's required names as a list. @throws AUTH_GUARD_EMPTY if there are none, or one is not a non-empty string */
export const requiredGrants = (guard: string, given: string | readonly string[]): readonly string[] => {
  const names = toGrants(given);
  if (Array.isArray(given) && names.length < given.length)
    throw authError("AUTH_GUARD_EMPTY", `${guard}: every name must be a non-empty string`);
  if (names.length > 0) return names;
  throw authError("AUTH_GUARD_EMPTY", `${guard} needs at least one name, such as new ${guard}(["admin"])`);
};

/** Passes a caller whose identities together have the required roles or permissions. @throws UnauthorizedError, ForbiddenError; errors of `resolve` */
export const checkGrants = (rule: GrantRule, invocation: Invocation): Awaitable<true> => {
  const principal = principalOf(invocation, rule.userKey);
  if (principal === null) throw noCaller(invocation);
  const identities: readonly unknown[] = Object.values(principal);
  const granted = new Set(identities.flatMap((identity) => ownGrants(identity, rule.members)));
  const { resolve } = rule;
  const resolved = resolve === undefined ? [] : callResolve(resolve, identities, invocation);
  if (!resolved.some((grants) => isPromise(grants)))
    return decide(rule, invocation, granted, resolved as Grants[]);
  const { timer } = rule;
  const onTimeout = (): never => {
    throw new Error(`resolve did not answer within ${timer.timeoutMs} ms`);
  };
  const all = timer.limit(Promise.all(resolved.map(async (grants) => grants)), onTimeout);
  return mapAwaitable(all, (grants) => decide(rule, invocation, granted, grants));
};

/** Calls `resolve` for each identity. If one call throws, promises of earlier calls are marked as handled: their rejections would end the process. */
const callResolve = (
  resolve: ResolveGrants,
  identities: readonly unknown[],
  invocation: Invocation,
): readonly Awaitable<Grants>[] => {
  const results: Awaitable<Grants>[] = [];
  try {
    for (const identity of identities) results.push(resolve(identity, invocation));
  } catch (error) {
    for (const result of results) if (isPromise(result)) void markHandled(Promise.resolve(result));
    throw error;
  }
  return results;
};

const decide = (
  { required, requireAll, kind }: GrantRule,
  { context }: Invocation,
  granted: Set<string>,
  resolved: readonly Grants[],
): true => {
  for (const name of resolved.flatMap(resolvedGrants)) granted.add(name);
  const absent = required.filter((name) => !granted.has(name));
  if (requireAll ? absent.length === 0 : absent.length < required.length) return true;
  const detail = requireAll
    ? `Missing required ${kind}: ${absent.join(", ")}`
    : `Requires one of ${kind}: ${required.join(", ")}`;
  throw new ForbiddenError(detail, context.has(JwtClaims) ? { headers: insufficientScope } : {});
};

/** Challenge for a valid token with insufficient scope (RFC 6750 3.1). */
const insufficientScope = { "www-authenticate": 'Bearer realm="Restricted", error="insufficient_scope"' };

const ownGrants = (identity: unknown, members: readonly string[]): readonly string[] =>
  typeof identity === "object" && identity !== null
    ? members.flatMap((member) => toGrants(Reflect.get(identity, member)))
    : [];

/** Returns the names in a result of `resolve`. @throws TypeError for a result of another type, so that `Not(guard)` does not pass the caller */
const resolvedGrants = (result: unknown): readonly string[] => {
  const isNone = result === undefined || result === null;
  const isList = Array.isArray(result) && result.every((name) => typeof name === "string");
  if (!isNone && typeof result !== "string" && !isList)
    throw new TypeError("resolve must return a list of strings, a string, or null for none");
  return toGrants(result);
};

const toGrants = (value: unknown): readonly string[] => {
  if (typeof value === "string") return value.split(/[\s,]/).filter((name) => name !== "");
  return Array.isArray(value) ? value.filter((name) => typeof name === "string" && name !== "") : [];
};
