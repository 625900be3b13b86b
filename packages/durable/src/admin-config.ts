import type { Guard, HttpRequest } from "@framework/core";
import { canonicalPrefix, type FieldRule, optional, prefixProblem } from "@framework/core/feature";
import { isGuard } from "@framework/core";

/** The HTTP API for operators. */
export interface AdminConfig {
  /** Path prefix of its routes, such as `/admin/durable`. */
  readonly path: string;
  /** Guards of its routes; at least one. The app's guards do not apply. */
  readonly guards: readonly Guard<HttpRequest>[];
}

/** The field `admin` of `DurableConfig`. */
export const adminRule: FieldRule<AdminConfig | undefined> = optional<AdminConfig>({
  problem(value) {
    if (typeof value !== "object" || value === null) return "must be { path, guards }";
    const unknown = Object.keys(value).find((key) => key !== "path" && key !== "guards");
    if (unknown !== undefined) return `must be { path, guards }, without "${unknown}"`;
    const { path, guards } = value as Partial<Record<keyof AdminConfig, unknown>>;
    const problem = typeof path === "string" ? prefixProblem(path) : "must be a string";
    if (problem !== null || path === "/") return `must have a path such as "/admin/durable"`;
    const areGuards = Array.isArray(guards) && guards.length > 0 && guards.every(isGuard);
    return areGuards
      ? null
      : "must have at least one guard, because the API shows and changes the work of all users";
  },
});

/** Returns the path without a trailing slash. */
export const adminPath = ({ path }: AdminConfig): string => canonicalPrefix(path).replace(/\/$/, "");
