/**
 * The typed key of a value in an invocation's context. Keys are compared by identity: two keys with one name hold two values.
 */
export interface Key<T> {
  /** Name in messages; keys are compared by identity. */
  readonly name: string;
  /** The value that `get` returns before one was set. */
  readonly initial: T;
}

/**
 * Creates a key for the state of one invocation. Only code that imports the key can set its value.
 *
 * @example
 * export const Tenant: Key<string | null> = key<string | null>("tenant", null);
 */
export const key = <T>(name: string, initial: T): Key<T> => Object.freeze({ name, initial });
