/**
 * Names a value in an invocation's context and carries its type. The key object is the identity: two keys of one name hold two values.
 */
export interface Key<T> {
  readonly name: string;
  /** The value that `get` returns before anything was set. */
  readonly initial: T;
}

/**
 * Makes a key for the state of one invocation. Export it: only code that has the key can set its value.
 *
 * @example
 * export const Tenant: Key<string | null> = key<string | null>("tenant", null);
 */
export const key = <T>(name: string, initial: T): Key<T> => Object.freeze({ name, initial });
