import type { Awaitable, GuardObject, Invocation } from "@framework/core";
import { type CallbackTimeout, createCallbackTimer } from "../callback-timeout.ts";
import { checkGrants, type ResolveGrants, requiredGrants, type GrantRule } from "./grants.ts";
import { PermissionOptions } from "./guard-options.ts";

/** Options of `PermissionGuard`. If `resolve` fails or takes longer than `timeoutMs`, the caller is refused with 403. */
export interface PermissionGuardOptions extends CallbackTimeout {
  /** Whether all permissions are required, or only one. @default true */
  readonly requireAll?: boolean;
  /** Context name of the application's own user. @default "user" */
  readonly userKey?: string;
  /** Property of the user, or claim of the token, that contains the permissions; `scope` and `scp` also count. @default "permissions" */
  readonly permKey?: string;
  /** Returns additional permissions, for example from a database; called with the user, the claims or the API key's name. */
  readonly resolve?: ResolveGrants;
}

/**
 * Passes callers with all of the permissions, or with one of them. Permissions are lists, or strings separated by commas or spaces. Works with every
 * protocol.
 *
 * @throws AUTH_GUARD_EMPTY without permissions, CORE_BAD_CONFIG for an unknown or malformed option; 401 without a principal, 403 without the permissions
 */
export class PermissionGuard implements GuardObject {
  readonly name: string;
  readonly readsCaller: boolean = true;
  private readonly rule: GrantRule;

  constructor(permissions: string | readonly string[], options: PermissionGuardOptions = {}) {
    const { requireAll, userKey, permKey, resolve, ...limit } = PermissionOptions.of(options);
    const required = requiredGrants("PermissionGuard", permissions);
    this.name = `PermissionGuard(${required.join(", ")})`;
    this.rule = {
      required,
      requireAll,
      userKey,
      members: [permKey, "scope", "scp"],
      resolve,
      timer: createCallbackTimer(limit),
      kind: "permissions",
    };
  }

  check(invocation: Invocation): Awaitable<true> {
    return checkGrants(this.rule, invocation);
  }
}
