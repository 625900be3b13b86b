import { FrameworkError } from "../errors/framework-error.ts";
import { nearest } from "../errors/nearest.ts";

const ENABLES = /^enable[A-Z]/;

/**
 * Base class of apps: reading an `enableX` that no feature added throws CORE_METHOD_MISSING with the remedy, instead of the engine's "is not a function".
 * Existing members are found before the lookup reaches the proxy.
 */
export abstract class MissingMethods {}

const missing: ProxyHandler<object> = {
  get(target, name, app) {
    if (typeof name === "string" && ENABLES.test(name)) throw missingMethod(name, app);
    return Reflect.get(target, name, app);
  },
};

Object.setPrototypeOf(MissingMethods.prototype, new Proxy({}, missing));

const missingMethod = (name: string, app: object): FrameworkError => {
  const known = Object.getOwnPropertyNames(app).filter((method) => ENABLES.test(method));
  const [near] = nearest(name, known, 1);
  const hint = near === undefined ? "" : `, or did you mean ${near}?`;
  return new FrameworkError(
    "CORE_METHOD_MISSING",
    `this app has no ${name}; compose the feature that adds it: class MyApp extends App.with(feature) {}${hint}`,
  );
};
