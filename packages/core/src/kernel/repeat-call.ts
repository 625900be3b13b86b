import type { Problem } from "../errors/configuration-error.ts";
import type { RouteCall } from "../routes/route-call.ts";

/** Returns a function that replays on the app a call that a blueprint recorded; `null` when the app has no such method. */
export const bindRouteCall = (app: object, { method, args }: RouteCall): (() => void) | null => {
  const own: unknown = Reflect.get(app, method);
  return typeof own === "function" ? () => void own.apply(app, args) : null;
};

/** Creates the problem of a blueprint that uses a feature that the app lacks. */
export const missingFeature = ({ feature, method, prefix, place }: RouteCall): Problem => ({
  code: "CORE_METHOD_MISSING",
  message:
    `${method} of the blueprint "${prefix}" (at ${place.toString()}): this app has no feature "${feature}"; ` +
    "compose the app with it too: class MyApp extends App.with(feature) {}",
});
