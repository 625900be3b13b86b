import type { Context } from "@framework/core";
import { principalOf } from "@framework/core/feature";

/** The identities of a caller, one for each credential that was accepted: the user, a token's claims, the name of an API key. */
export const principalsOf = (context: Context, userKey: string): readonly unknown[] =>
  Object.values(principalOf({ context }, userKey) ?? {});
