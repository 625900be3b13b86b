/** Context names of values that concern one caller: its principal, and values that are issued to it alone. */
const names: ReadonlySet<string> = new Set(["user", "jwt_claims", "api_key_name", "single_use"]);

/** Whether a value set under a context name concerns one caller, so that shared caches may not store the reply. */
export const concernsCaller = (name: string, value: unknown): boolean => names.has(name) && isPresent(value);

/** Whether a value identifies a caller: `null`, `undefined`, `false` and the empty string do not. */
export const isPresent = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== false && value !== "";
