import type { Invocation } from "@framework/core";
import { principalOf } from "@framework/core/feature";

/**
 * Returns a text that two callers have in common only if a handler cannot tell them apart: the whole principal, with the scopes and other claims of its token, and
 * the credentials that were sent. `null` for a principal without a text form.
 */
export const visibleCaller = (invocation: Invocation): string | null => {
  const { headers } = invocation;
  try {
    const { user, claims, apiKeyName } = principalOf(invocation) ?? {};
    const credentials = [headers.get("authorization"), headers.get("cookie")];
    return JSON.stringify([user, claims, apiKeyName, ...credentials], visible);
  } catch {
    return null; // such as an account with cycles: its calls cannot be compared
  }
};

/** What JSON does not write of an account: the roles in a `Set` or `Map` of it, and the bigints that databases give as ids. */
const visible = (_name: string, value: unknown): unknown => {
  if (typeof value === "bigint") return { bigint: String(value) };
  return value instanceof Set || value instanceof Map ? [...value] : value;
};
