import type { Awaitable, GuardObject, Invocation } from "@framework/core";
import { type CallbackTimeout, createCallbackTimer } from "../callback-timeout.ts";
import { checkGrants, type ResolveGrants, requiredGrants, type GrantRule } from "./grants.ts";
import { RoleOptions } from "./guard-options.ts";

/** Options of `RoleGuard`. If `resolve` fails or takes longer than `timeoutMs`, the caller is refused with 403. */
export interface RoleGuardOptions extends CallbackTimeout {
  /** Whether all roles are required, or only one. @default false */
  readonly requireAll?: boolean;
  /** Context name of the application's own user. @default "user" */
  readonly userKey?: string;
  /** Property of the user, or claim of the token, that contains the roles; `role` also counts. @default "roles" */
  readonly roleKey?: string;
  /** Returns additional roles, for example from a database; called with the user, the claims or the API key's name. */
  readonly resolve?: ResolveGrants;
}

/**
 * Passes callers with one of the roles, or with all of them. Roles are lists, or strings separated by commas or spaces. Works with every protocol.
 *
 * @throws AUTH_GUARD_EMPTY without roles, CORE_BAD_CONFIG for an unknown or malformed option; 401 without a principal, 403 without the roles
 */
export class RoleGuard implements GuardObject {
  readonly name: string;
  readonly readsCaller: boolean = true;
  private readonly rule: GrantRule;

  constructor(roles: string | readonly string[], options: RoleGuardOptions = {}) {
    const { requireAll, userKey, roleKey, resolve, ...limit } = RoleOptions.of(options);
    const required = requiredGrants("RoleGuard", roles);
    this.name = `RoleGuard(${required.join(", ")})`;
    this.rule = {
      required,
      requireAll,
      userKey,
      members: [roleKey, "role"],
      resolve,
      timer: createCallbackTimer(limit),
      kind: "roles",
    };
  }

  check(invocation: Invocation): Awaitable<true> {
    return checkGrants(this.rule, invocation);
  }
}
