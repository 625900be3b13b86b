import type { Invocation } from "@framework/core";
import { principalOf } from "@framework/core/feature";

/**
 * Returns a string that is equal for two callers only if a handler cannot distinguish them: it contains the whole principal, with the scopes and other claims of its
 * token, and the credentials of the request. `null` if the principal is not plain data, such as an instance of a class, which may have private members.
 */
export const visibleCaller = (invocation: Invocation): string | null => {
  const { headers } = invocation;
  try {
    const { user, claims, apiKeyName } = principalOf(invocation) ?? {};
    return textOf([user, claims, apiKeyName, headers.get("authorization"), headers.get("cookie")]);
  } catch {
    return null; // not plain, or cyclic: such principals cannot be compared
  }
};

/** @throws TypeError for data that is not plain */
const textOf = (data: readonly unknown[]): string => JSON.stringify(data, encode);

/** Encodes values that JSON would lose as strings with a NUL prefix. Strings that already start with a NUL get a second one, to keep them distinct. */
function encode(this: Readonly<Record<string, unknown>>, name: string): unknown {
  const value = this[name]; // the second argument would be the result of its `toJSON`
  switch (typeof value) {
    case "string":
      return value.startsWith("\0") ? `\0${value}` : value;
    case "number":
      return Number.isFinite(value) ? value : `\0number ${value}`;
    case "boolean":
      return value;
    case "bigint":
      return `\0bigint ${value}`;
    case "undefined":
      return "\0undefined";
    case "object":
      return value === null ? null : encodeObject(value);
    default:
      throw new TypeError("a function or symbol is not plain data");
  }
}

const encodeObject = (value: object): unknown => {
  const all = Reflect.ownKeys(value).length;
  const written = Object.keys(value).length;
  switch (Object.getPrototypeOf(value)) {
    case Object.prototype:
    case null:
      if (all === written) return value;
      break;
    case Array.prototype:
      if (all === written + 1 && written === (value as unknown[]).length) return value; // no members except the items and `length`
      break;
    case Set.prototype:
      if (all === 0) return `\0set ${textOf([...(value as Set<unknown>)])}`;
      break;
    case Map.prototype:
      if (all === 0) return `\0map ${textOf([...(value as Map<unknown, unknown>)])}`;
      break;
    case Date.prototype:
      if (all === 0) return `\0date ${(value as Date).getTime()}`;
  }
  throw new TypeError("an object with members that JSON does not represent");
};
