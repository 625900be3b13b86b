import type { Awaitable, GuardObject, Invocation } from "@framework/core";
import { checkWords, type ResolveWords, wantedWords, type WordRule } from "./granted-words.ts";

/** Options of `RoleGuard`. */
export interface RoleGuardOptions {
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
 * @throws AUTH_GUARD_EMPTY from a constructor without roles; 401 without a principal, 403 without the roles
 */
export class RoleGuard implements GuardObject {
  readonly name: string;
  private readonly rule: WordRule;

  constructor(roles: string | readonly string[], options: RoleGuardOptions = {}) {
    const { requireAll = false, userKey = "user", roleKey = "roles", resolve } = options;
    const words = wantedWords("RoleGuard", roles);
    this.name = `RoleGuard(${words.join(", ")})`;
    this.rule = { words, requireAll, userKey, members: [roleKey, "role"], resolve, what: "roles" };
  }

  check(invocation: Invocation): Awaitable<true> {
    return checkWords(this.rule, invocation);
  }
}
