import type { AnyFeature, Host, OptionCheck } from "@framework/core/feature";
import { installOnFirstUse } from "./install-on-first-use.ts";

/** Members and route options of a feature, known before its package is loaded; a test compares them with the feature. */
export interface Outline<F extends AnyFeature> {
  readonly name: string;
  /** Names of its methods. */
  readonly methods: readonly string[];
  /** Names of its members that are values, such as `db`. */
  readonly values?: readonly string[];
  /** Names of its route options. */
  readonly options?: readonly string[];
  /** Names of its methods that blueprints also have. */
  readonly routeMethods?: readonly string[];
  /** Loads its package. */
  readonly load: () => F;
}

/** Returns a feature whose package is loaded at the first use of one of its members. */
export const lazyFeature = <F extends AnyFeature>(outline: Outline<F>): F => {
  const { name, methods, values = [], options = [], routeMethods, load } = outline;
  const install = (host: Host, needs: object): object => {
    const lazyOptions = new LazyOptions(host, options);
    let loaded: object | null = null;
    const members = (): object => (loaded ??= installOnFirstUse(load(), lazyOptions.host, needs));
    const added = {};
    for (const method of methods) Object.defineProperty(added, method, methodOf(members, method));
    for (const value of values) Object.defineProperty(added, value, valueOf(members, value));
    return added;
  };
  const feature = routeMethods === undefined ? { name, install } : { name, install, routeMethods };
  return feature as unknown as F; // framework.test.ts checks that the members equal the members of F
};

const methodOf = (members: () => object, name: string): PropertyDescriptor => ({
  value(this: unknown, ...args: unknown[]): unknown {
    return (Reflect.get(members(), name) as (...args: unknown[]) => unknown).apply(this, args);
  },
  enumerable: true,
});

const valueOf = (members: () => object, name: string): PropertyDescriptor => ({
  get: () => Reflect.get(members(), name) as unknown,
  enumerable: true,
});

/** Declares route options when the app is created; the feature that checks them is installed later. */
class LazyOptions {
  /** The host passed to the feature. */
  readonly host: Host;
  private readonly checks: Map<string, OptionCheck<never>> = new Map();

  constructor(host: Host, names: readonly string[]) {
    const declare = host.http.routeOption as (name: string, check: OptionCheck<never>) => unknown;
    const readers = new Map(
      names.map((name) => [
        name,
        declare(name, (value, route) => this.checks.get(name)?.(value, route) ?? null),
      ]),
    );
    const routeOption = (name: string, check: OptionCheck<never>): unknown => {
      this.checks.set(name, check);
      return readers.get(name);
    };
    const http: unknown = Object.create(host.http, { routeOption: { value: routeOption } });
    this.host = Object.create(host, { http: { value: http } }) as Host;
  }
}
