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
    return JSON.stringify([user, claims, apiKeyName, headers.get("authorization"), headers.get("cookie")]);
  } catch {
    return null; // such as an account with cycles: its calls cannot be compared
  }
};
