import type { Awaitable, GuardObject, Invocation } from "@framework/core";
import { type AnswerLimit, answerWait } from "../answer-limit.ts";
import { checkWords, type ResolveWords, wantedWords, type WordRule } from "./granted-words.ts";
import { PermissionOptions } from "./word-options.ts";

/** Options of `PermissionGuard`. A `resolve` that does not answer within `timeoutMs` refuses with 403, as one that fails. */
export interface PermissionGuardOptions extends AnswerLimit {
  /** Whether all permissions are required, or only one. @default true */
  readonly requireAll?: boolean;
  /** Context name of the application's own user. @default "user" */
  readonly userKey?: string;
  /** Member of the user or claim of the token that contains the permissions; `scope` and `scp` count too. @default "permissions" */
  readonly permKey?: string;
  /** Returns additional permissions, for example from a database; called with the user, the claims or the API key's name. */
  readonly resolve?: ResolveWords;
}

/**
 * Passes callers with all of the permissions, or with one of them. Permissions are lists, or strings separated by commas or spaces. Works with every
 * protocol.
 *
 * @throws AUTH_GUARD_EMPTY from a constructor without permissions, CORE_BAD_CONFIG from one with an unknown or malformed option; 401 without a principal, 403 without the permissions
 */
export class PermissionGuard implements GuardObject {
  readonly name: string;
  readonly readsCaller: boolean = true;
  private readonly rule: WordRule;

  constructor(permissions: string | readonly string[], options: PermissionGuardOptions = {}) {
    const { requireAll, userKey, permKey, resolve, ...limit } = PermissionOptions.of(options);
    const words = wantedWords("PermissionGuard", permissions);
    this.name = `PermissionGuard(${words.join(", ")})`;
    this.rule = {
      words,
      requireAll,
      userKey,
      members: [permKey, "scope", "scp"],
      resolve,
      wait: answerWait(limit),
      what: "permissions",
    };
  }

  check(invocation: Invocation): Awaitable<true> {
    return checkWords(this.rule, invocation);
  }
}
