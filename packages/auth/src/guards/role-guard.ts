import type { Awaitable, GuardObject, Invocation } from "@framework/core";
import { type AnswerLimit, answerWait } from "../answer-limit.ts";
import { checkWords, type ResolveWords, wantedWords, type WordRule } from "./granted-words.ts";
import { RoleOptions } from "./word-options.ts";

/** Options of `RoleGuard`. A `resolve` that does not answer within `timeoutMs` refuses with 403, as one that fails. */
export interface RoleGuardOptions extends AnswerLimit {
  /** Whether all roles are required, or only one. @default false */
  readonly requireAll?: boolean;
  /** Context name of the application's own user. @default "user" */
  readonly userKey?: string;
  /** Member of the user or claim of the token that contains the roles; `role` counts too. @default "roles" */
  readonly roleKey?: string;
  /** Returns additional roles, for example from a database; called with the user, the claims or the API key's name. */
  readonly resolve?: ResolveWords;
}

/**
 * Passes callers with one of the roles, or with all of them. Roles are lists, or strings separated by commas or spaces. Works with every protocol.
 *
 * @throws AUTH_GUARD_EMPTY from a constructor without roles, CORE_BAD_CONFIG from one with an unknown or malformed option; 401 without a principal, 403 without the roles
 */
export class RoleGuard implements GuardObject {
  readonly name: string;
  readonly readsCaller: boolean = true;
  private readonly rule: WordRule;

  constructor(roles: string | readonly string[], options: RoleGuardOptions = {}) {
    const { requireAll, userKey, roleKey, resolve, ...limit } = RoleOptions.of(options);
    const words = wantedWords("RoleGuard", roles);
    this.name = `RoleGuard(${words.join(", ")})`;
    this.rule = {
      words,
      requireAll,
      userKey,
      members: [roleKey, "role"],
      resolve,
      wait: answerWait(limit),
      what: "roles",
    };
  }

  check(invocation: Invocation): Awaitable<true> {
    return checkWords(this.rule, invocation);
  }
}
