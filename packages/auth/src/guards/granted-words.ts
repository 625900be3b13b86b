import { type Awaitable, ForbiddenError, type HttpRequest, UnauthorizedError } from "@framework/core";
import { isPromise } from "@framework/core/feature";
import { authError } from "../errors.ts";
import { JwtClaims } from "@framework/core/feature";
import { principalsOf } from "../principal.ts";

/** Finds the words of one principal, such as the roles of a user in a database. */
export type ResolveWords = (principal: unknown, request: HttpRequest) => Awaitable<Words>;

/** Roles or permissions: a list, or one text with commas or blanks between; nothing for none. */
export type Words = readonly string[] | string | null | undefined;

/** What a guard over words asks for. */
export interface WordRule {
  readonly words: readonly string[];
  readonly requireAll: boolean;
  readonly userKey: string;
  /** Members of a principal that hold its words. */
  readonly members: readonly string[];
  readonly resolve: ResolveWords | undefined;
  /** What the words are, for people. */
  readonly what: "roles" | "permissions";
}

/** The words that a guard was given. @throws AUTH_GUARD_EMPTY when there are none */
export const wantedWords = (guard: string, given: string | readonly string[]): readonly string[] => {
  const words = toWords(given);
  if (words.length > 0) return words;
  throw authError("AUTH_GUARD_EMPTY", `${guard} needs at least one name, such as new ${guard}(["admin"])`);
};

/** Passes a request whose principals have the words between them. @throws UnauthorizedError, ForbiddenError */
export const checkWords = (rule: WordRule, request: HttpRequest): Awaitable<true> => {
  const principals = principalsOf(request.context, rule.userKey);
  if (principals.length === 0) throw new UnauthorizedError();
  const granted = new Set(principals.flatMap((principal) => ownWords(principal, rule.members)));
  const { resolve } = rule;
  const resolved = resolve === undefined ? [] : principals.map((principal) => resolve(principal, request));
  if (!resolved.some((words) => isPromise(words))) return judged(rule, request, granted, resolved as Words[]);
  return Promise.all(resolved.map(async (words) => words)).then((words) =>
    judged(rule, request, granted, words),
  );
};

const judged = (
  { words, requireAll, what }: WordRule,
  request: HttpRequest,
  granted: Set<string>,
  resolved: readonly Words[],
): true => {
  for (const word of resolved.flatMap(toWords)) granted.add(word);
  const absent = words.filter((word) => !granted.has(word));
  if (requireAll ? absent.length === 0 : absent.length < words.length) return true;
  const detail = requireAll
    ? `Missing required ${what}: ${absent.join(", ")}`
    : `Requires one of ${what}: ${words.join(", ")}`;
  throw new ForbiddenError(detail, request.context.has(JwtClaims) ? { headers: insufficientScope } : {});
};

/** What RFC 6750 3.1 says to the holder of a token that is good, but not for this. */
const insufficientScope = { "www-authenticate": 'Bearer realm="Restricted", error="insufficient_scope"' };

const ownWords = (principal: unknown, members: readonly string[]): readonly string[] =>
  typeof principal === "object" && principal !== null
    ? members.flatMap((member) => toWords(Reflect.get(principal, member)))
    : [];

const toWords = (value: unknown): readonly string[] => {
  if (typeof value === "string") return value.split(/[\s,]/).filter((word) => word !== "");
  return Array.isArray(value) ? value.filter((word) => typeof word === "string" && word !== "") : [];
};
