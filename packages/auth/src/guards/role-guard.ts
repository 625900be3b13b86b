import type { Awaitable, GuardObject, Invocation } from "@framework/core";
import { checkWords, type ResolveWords, wantedWords, type WordRule } from "./granted-words.ts";

/** Options of `RoleGuard`. */
export interface RoleGuardOptions {
  /** Whether all roles are needed, and not just one. @default false */
  readonly requireAll?: boolean;
  /** Name under which the application sets its own user in the context. @default "user" */
  readonly userKey?: string;
  /** Member of the user, or claim of the token, that holds the roles; `role` counts too. @default "roles" */
  readonly roleKey?: string;
  /** Finds roles that the principal does not carry: asked with the user, the claims or the name of the API key. */
  readonly resolve?: ResolveWords;
}

/**
 * Passes callers with one of the roles, or with all of them. Roles are lists, or texts with commas or blanks between them. Works at every door.
 *
 * @throws AUTH_GUARD_EMPTY where it is written without roles; 401 without a principal, 403 without the roles
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
