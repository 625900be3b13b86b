import type { Place } from "./lookup.ts";
import type { ReplyFacts } from "./rules/reply-facts.ts";
import type { RoutePlan } from "./route/route-plan.ts";

/** Request fields that one stored reply may depend on. */
export const maxVaryNames = 16;

/** Request fields that replies under one key depend on: those known before, the reply's own, and the route's. */
export const namesOf = (
  { names }: Pick<Place, "names">,
  plan: Pick<RoutePlan, "vary">,
  { vary }: Pick<ReplyFacts, "vary">,
): readonly string[] =>
  names.length + vary.length + plan.vary.length === 0
    ? names
    : [...new Set([...names, ...vary, ...plan.vary])].sort();
