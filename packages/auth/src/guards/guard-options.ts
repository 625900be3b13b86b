import type { Clock } from "@framework/core/feature";
import { type ConfigRecord, configRecord, flag, optional, text } from "@framework/core/feature";
import { callbackTimeoutRules } from "../callback-timeout.ts";
import type { ResolveGrants } from "./grants.ts";

/** Options of both guards, with all defaults. */
export interface SharedGuardOptions {
  readonly requireAll: boolean;
  readonly userKey: string;
  readonly resolve: ResolveGrants | undefined;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** The options of `RoleGuard`, with all defaults. */
export interface RoleOptions extends SharedGuardOptions {
  readonly roleKey: string;
}

/** The options of `PermissionGuard`, with all defaults. */
export interface PermissionOptions extends SharedGuardOptions {
  readonly permKey: string;
}

const shared = {
  userKey: text("user"),
  resolve: optional<ResolveGrants>({
    problem: (value) => (typeof value === "function" ? null : "must be a function (identity, invocation)"),
  }),
  ...callbackTimeoutRules,
};

export const RoleOptions: ConfigRecord<RoleOptions> = configRecord<RoleOptions>("RoleGuardOptions", {
  ...shared,
  requireAll: flag(false),
  roleKey: text("roles"),
});

export const PermissionOptions: ConfigRecord<PermissionOptions> = configRecord<PermissionOptions>(
  "PermissionGuardOptions",
  { ...shared, requireAll: flag(true), permKey: text("permissions") },
);
