import type { Guard } from "../guards/guard.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { Exemption } from "../routes/exemption.ts";

/** Returns the app's guards for a route; none when it is exempt. */
export const guardsOfApp = (
  guards: readonly Guard<HttpRequest>[],
  exempt: readonly Exemption[],
): readonly Guard<HttpRequest>[] => (exempt.includes("guards") ? [] : guards);
