import type { Awaitable, GuardObject, Invocation } from "@framework/core";
import { checkWords, type ResolveWords, wantedWords, type WordRule } from "./granted-words.ts";

/** Options of `PermissionGuard`. */
export interface PermissionGuardOptions {
  /** Whether all permissions are needed, and not just one. @default true */
  readonly requireAll?: boolean;
  /** Name under which the application sets its own user in the context. @default "user" */
  readonly userKey?: string;
  /** Member of the user, or claim of the token, that holds the permissions; `scope` and `scp` count too. @default "permissions" */
  readonly permKey?: string;
  /** Finds permissions that the principal does not carry: asked with the user, the claims or the name of the API key. */
  readonly resolve?: ResolveWords;
}

/**
 * Passes callers with all of the permissions, or with one of them. Permissions are lists, or texts with commas or blanks between them. Works at every
 * door.
 *
 * @throws AUTH_GUARD_EMPTY where it is written without permissions; 401 without a principal, 403 without the permissions
 */
export class PermissionGuard implements GuardObject {
  readonly name: string;
  private readonly rule: WordRule;

  constructor(permissions: string | readonly string[], options: PermissionGuardOptions = {}) {
    const { requireAll = true, userKey = "user", permKey = "permissions", resolve } = options;
    const words = wantedWords("PermissionGuard", permissions);
    this.name = `PermissionGuard(${words.join(", ")})`;
    this.rule = {
      words,
      requireAll,
      userKey,
      members: [permKey, "scope", "scp"],
      resolve,
      what: "permissions",
    };
  }

  check(invocation: Invocation): Awaitable<true> {
    return checkWords(this.rule, invocation);
  }
}
