import type { Clock } from "@framework/core/feature";
import { type ConfigRecord, configRecord, flag, optional, text } from "@framework/core/feature";
import { answerLimitRules } from "../answer-limit.ts";
import type { ResolveWords } from "./granted-words.ts";

/** Options that guards of words share, with all defaults. */
export interface SharedWordOptions {
  readonly requireAll: boolean;
  readonly userKey: string;
  readonly resolve: ResolveWords | undefined;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** The options of `RoleGuard`, with all defaults. */
export interface RoleOptions extends SharedWordOptions {
  readonly roleKey: string;
}

/** The options of `PermissionGuard`, with all defaults. */
export interface PermissionOptions extends SharedWordOptions {
  readonly permKey: string;
}

const shared = {
  userKey: text("user"),
  resolve: optional<ResolveWords>({
    problem: (value) => (typeof value === "function" ? null : "must be a function (identity, invocation)"),
  }),
  ...answerLimitRules,
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
