import type { Awaitable, GuardObject, HttpRequest } from "@framework/core";
import { checkWords, type ResolveWords, wantedWords, type WordRule } from "./granted-words.ts";

/** How `RoleGuard` judges. */
export interface RoleGuardOptions {
  /** Whether all roles are needed, and not just one. @default false */
  readonly requireAll?: boolean;
  /** Where the application itself may have put its user in the context. @default "user" */
  readonly userKey?: string;
  /** Member of the user, or claim of the token, that holds the roles; `role` counts too. @default "roles" */
  readonly roleKey?: string;
  /** Finds roles that the principal does not carry: asked with the user, the claims or the name of the API key. */
  readonly resolve?: ResolveWords;
}

/**
 * Passes who has one of the roles, or all of them. Roles are lists, or texts with commas or blanks between them.
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

  check(request: HttpRequest): Awaitable<true> {
    return checkWords(this.rule, request);
  }
}
