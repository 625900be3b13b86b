import { FrameworkError } from "../errors/framework-error.ts";
import type { AnyFeature } from "../feature/feature.ts";
import { createHost } from "./create-host.ts";
import type { Kernel } from "./kernel.ts";

/** Position of a feature in its app, and the methods of earlier features. */
export interface Installation {
  /** Position in `App.with`. */
  readonly rank: number;
  /** The methods of earlier features; installation adds the feature's own. */
  readonly methods: object;
}

/**
 * Installs a feature on an app: its methods become the app's.
 *
 * @throws CORE_METHOD_TAKEN for the name of an existing method; CORE_FEATURE_MISSING when earlier features lack a member that it requires
 */
export const installFeature = (
  feature: AnyFeature,
  app: object,
  kernel: Kernel,
  { rank, methods }: Installation,
): void => {
  assertRequired(feature, methods);
  const needs = Object.freeze(Object.create(null, Object.getOwnPropertyDescriptors(methods)));
  const added = feature.install(createHost(kernel, { name: feature.name, rank }), needs as never);
  kernel.addEnableMethods(rank, Object.keys(added).filter(isEnableMethod));
  for (const [name, { get, value: method }] of Object.entries(Object.getOwnPropertyDescriptors(added))) {
    if (name in app) {
      throw new FrameworkError(
        "CORE_METHOD_TAKEN",
        `${feature.name}: the app already has a method named ${name}`,
      );
    }
    const value = isEnableMethod(name) ? wrapEnable(feature, name, method, kernel) : method;
    const property = get === undefined ? { value, writable: true } : { get };
    Object.defineProperty(app, name, { ...property, configurable: true });
    Object.defineProperty(methods, name, neededProperty(app, name, get !== undefined));
  }
};

const assertRequired = ({ name, requires }: AnyFeature, methods: object): void => {
  const missing = requires?.members.filter((member) => !(member in methods)) ?? [];
  if (requires === undefined || missing.length === 0) return;
  throw new FrameworkError(
    "CORE_FEATURE_MISSING",
    `the feature ${name} needs ${missing.map((member) => `app.${member}`).join(" and ")} from earlier features; list them in this order: class MyApp extends ${requires.example} {}`,
  );
};

const isEnableMethod = (method: string): boolean => method.startsWith("enable");

/** Creates the member that later features get; it always runs with the app as `this`. */
const neededProperty = (app: object, name: string, isGetter: boolean): PropertyDescriptor => {
  const get = (): unknown => Reflect.get(app, name);
  if (isGetter) return { get, enumerable: true };
  return {
    value: (...args: unknown[]) => (get() as (...args: unknown[]) => unknown).apply(app, args),
    enumerable: true,
  };
};

/**
 * Wraps an `enableX` so that the kernel records its call: once, and not after start. A second call only reports the mistake: otherwise its duplicate routes and
 * metrics would be reported as well, and hide the cause.
 */
const wrapEnable = (
  feature: AnyFeature,
  name: string,
  method: (...args: unknown[]) => unknown,
  kernel: Kernel,
) =>
  function (this: unknown, ...args: unknown[]): unknown {
    return kernel.enable(feature.name, name) ? method.apply(this, args) : this;
  };
