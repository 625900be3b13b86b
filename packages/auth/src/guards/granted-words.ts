import { type Awaitable, ForbiddenError, type Invocation } from "@framework/core";
import { handled, isPromise, mapAwaitable } from "@framework/core/feature";
import type { AnswerWait } from "../answer-limit.ts";
import { authError } from "../errors.ts";
import { JwtClaims, principalOf } from "@framework/core/feature";
import { noCaller } from "./no-caller.ts";

/**
 * Returns the words of one identity, such as the roles of a user in a database. Called with the user, the claims of the token or the name of the
 * API key, once for each identity of the caller.
 */
export type ResolveWords = (identity: unknown, invocation: Invocation) => Awaitable<Words>;

/** Roles or permissions: a list, or a string separated by commas or spaces; `null` or `undefined` for none. */
export type Words = readonly string[] | string | null | undefined;

/** The requirement of a role or permission guard. */
export interface WordRule {
  readonly words: readonly string[];
  readonly requireAll: boolean;
  readonly userKey: string;
  /** Members of an identity that contain its words. */
  readonly members: readonly string[];
  readonly resolve: ResolveWords | undefined;
  readonly wait: AnswerWait;
  /** Kind of the words, for messages. */
  readonly what: "roles" | "permissions";
}

/** Returns a guard's words as a list. @throws AUTH_GUARD_EMPTY when there are none, or another value is among them */
export const wantedWords = (guard: string, given: string | readonly string[]): readonly string[] => {
  const words = toWords(given);
  if (Array.isArray(given) && words.length < given.length)
    throw authError("AUTH_GUARD_EMPTY", `${guard}: every name must be a non-empty string`);
  if (words.length > 0) return words;
  throw authError("AUTH_GUARD_EMPTY", `${guard} needs at least one name, such as new ${guard}(["admin"])`);
};

/** Passes a caller whose identities together have the required words. @throws UnauthorizedError, ForbiddenError */
export const checkWords = (rule: WordRule, invocation: Invocation): Awaitable<true> => {
  const principal = principalOf(invocation, rule.userKey);
  if (principal === null) throw noCaller(invocation);
  const identities: readonly unknown[] = Object.values(principal);
  const granted = new Set(identities.flatMap((identity) => ownWords(identity, rule.members)));
  const { resolve } = rule;
  const resolved = resolve === undefined ? [] : answersOf(resolve, identities, invocation);
  if (!resolved.some((words) => isPromise(words)))
    return judged(rule, invocation, granted, resolved as Words[]);
  const { wait } = rule;
  const late = (): never => {
    throw new Error(`resolve did not answer within ${wait.timeoutMs} ms`);
  };
  const all = wait.of(Promise.all(resolved.map(async (words) => words)), late);
  return mapAwaitable(all, (words) => judged(rule, invocation, granted, words));
};

/** Calls `resolve` for each identity. When one call throws, the promises of earlier calls have no reader: their rejections would end the process. */
const answersOf = (
  resolve: ResolveWords,
  identities: readonly unknown[],
  invocation: Invocation,
): readonly Awaitable<Words>[] => {
  const answers: Awaitable<Words>[] = [];
  try {
    for (const identity of identities) answers.push(resolve(identity, invocation));
  } catch (error) {
    for (const answer of answers) if (isPromise(answer)) void handled(Promise.resolve(answer));
    throw error;
  }
  return answers;
};

const judged = (
  { words, requireAll, what }: WordRule,
  { context }: Invocation,
  granted: Set<string>,
  resolved: readonly Words[],
): true => {
  for (const word of resolved.flatMap(resolvedWords)) granted.add(word);
  const absent = words.filter((word) => !granted.has(word));
  if (requireAll ? absent.length === 0 : absent.length < words.length) return true;
  const detail = requireAll
    ? `Missing required ${what}: ${absent.join(", ")}`
    : `Requires one of ${what}: ${words.join(", ")}`;
  throw new ForbiddenError(detail, context.has(JwtClaims) ? { headers: insufficientScope } : {});
};

/** Challenge for a valid token with insufficient scope (RFC 6750 3.1). */
const insufficientScope = { "www-authenticate": 'Bearer realm="Restricted", error="insufficient_scope"' };

const ownWords = (identity: unknown, members: readonly string[]): readonly string[] =>
  typeof identity === "object" && identity !== null
    ? members.flatMap((member) => toWords(Reflect.get(identity, member)))
    : [];

/** Anything else than words is no answer: `Not` of the guard must not let the caller pass. @throws TypeError */
const resolvedWords = (words: unknown): readonly string[] => {
  const isNone = words === undefined || words === null;
  if (!isNone && typeof words !== "string" && !Array.isArray(words))
    throw new TypeError("resolve returns a list of words, a string, or null for none");
  return toWords(words);
};

const toWords = (value: unknown): readonly string[] => {
  if (typeof value === "string") return value.split(/[\s,]/).filter((word) => word !== "");
  return Array.isArray(value) ? value.filter((word) => typeof word === "string" && word !== "") : [];
};
