import type { Lookup } from "./lookup.ts";
import type { ReplyFacts } from "./rules/reply-facts.ts";
import type { RoutePlan } from "./route/route-plan.ts";

/** Maximum number of request fields in the key of a stored reply. */
export const MAX_VARY_NAMES = 16;

/** Returns the union of the fields already known for the key, the reply's `Vary` and the route's `vary`, sorted. */
export const namesOf = (
  { names }: Pick<Lookup, "names">,
  plan: Pick<RoutePlan, "vary">,
  { vary }: Pick<ReplyFacts, "vary">,
): readonly string[] =>
  names.length + vary.length + plan.vary.length === 0
    ? names
    : [...new Set([...names, ...vary, ...plan.vary])].sort();
