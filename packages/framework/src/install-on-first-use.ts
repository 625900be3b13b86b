import { FrameworkError } from "@framework/core";
import { type AnyFeature, type Host, operationsWithoutApp } from "@framework/core/feature";

/**
 * Installs a feature at its first use. After the start, registrations of `install` itself have no effect: the members then report the missing `enableX` call,
 * like the members of an `App.with` class. Registrations of the members throw CORE_ALREADY_STARTED as usual.
 */
export const installOnFirstUse = (feature: AnyFeature, host: Host, needs: object): object => {
  const install = (given: Host): object => feature.install(given as never, needs as never);
  if (!hasStarted(host)) return install(host);
  const phase: Phase = { isInstalling: true };
  try {
    return install(lenientHost(host, phase));
  } finally {
    phase.isInstalling = false;
  }
};

interface Phase {
  isInstalling: boolean;
}

type Register = (...args: readonly unknown[]) => unknown;

const hasStarted = (host: Host): boolean => {
  try {
    host.check(() => []);
    return false;
  } catch (error) {
    if (isTooLate(error)) return true;
    throw error;
  }
};

const isTooLate = (error: unknown): boolean =>
  FrameworkError.is(error) && error.code === "CORE_ALREADY_STARTED";

const lenientHost = (host: Host, phase: Phase): Host => {
  const groups = Object.fromEntries(
    (["http", "life", "insight", "state", "entries"] as const).map((name) => [
      name,
      { value: lenient(host[name], phase) },
    ]),
  );
  return Object.create(lenient(host, phase), groups) as Host;
};

/** Wraps a group of the host: during `install`, a registration after the start has no effect and returns the group. */
const lenient = <Group extends object>(group: Group, phase: Phase): Group => {
  const own = Object.create(group) as Group;
  for (const name of functionsOf(group)) {
    const register = Reflect.get(group, name) as Register;
    const unused = name === "operation" ? (operationsWithoutApp as Register) : () => own;
    Object.defineProperty(own, name, {
      value: (...args: readonly unknown[]): unknown => {
        try {
          return register(...args);
        } catch (error) {
          if (phase.isInstalling && isTooLate(error)) return unused(...args);
          throw error;
        }
      },
    });
  }
  return own;
};

/** Returns the names of methods, also of prototypes, because `LazyOptions` derives from the group. Getters are omitted: reading `shared` too early throws. */
const functionsOf = (group: object): string[] => {
  const names: string[] = [];
  for (
    let level: object | null = group;
    level !== null && level !== Object.prototype;
    level = Object.getPrototypeOf(level)
  )
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(level)))
      if (typeof value === "function") names.push(name);
  return [...new Set(names)];
};
