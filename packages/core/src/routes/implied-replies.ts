import type { FieldUse } from "../insight/field-use.ts";
import type { ImpliedReply } from "../insight/implied-reply.ts";
import type { RouteInfo } from "./route.ts";

/** Returns the replies that a feature adds to a route; none for a route that the feature does not affect. */
export type ImpliedReplies = (route: RouteInfo) => readonly ImpliedReply[];

/** Returns the header fields that a feature uses on a route; none for a route that the feature does not affect. */
export type FieldUses = (route: RouteInfo) => readonly FieldUse[];
