import type { ImpliedReply } from "../insight/implied-reply.ts";
import type { RouteInfo } from "./route.ts";

/** Returns the replies that a route implies, none for a route that it does not concern. */
export type ImpliedReplies = (route: RouteInfo) => readonly ImpliedReply[];
