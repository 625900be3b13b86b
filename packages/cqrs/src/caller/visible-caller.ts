import type { Invocation } from "@framework/core";
import { principalOf } from "@framework/core/feature";

/**
 * Returns a text that two callers have in common only if a handler cannot tell them apart: the whole principal, with the scopes and other claims of its token, and
 * the credentials that were sent. `null` for a principal with more than plain data, such as an account of a class, whose private members no text can have.
 */
export const visibleCaller = (invocation: Invocation): string | null => {
  const { headers } = invocation;
  try {
    const { user, claims, apiKeyName } = principalOf(invocation) ?? {};
    return textOf([user, claims, apiKeyName, headers.get("authorization"), headers.get("cookie")]);
  } catch {
    return null; // not plain, or with cycles: its calls cannot be compared
  }
};

/** @throws TypeError for data that is not plain */
const textOf = (data: readonly unknown[]): string => JSON.stringify(data, visible);

/** What JSON would lose becomes a text that begins with a NUL; a text of the principal that begins with one gets another, so the two are never equal. */
function visible(this: Readonly<Record<string, unknown>>, name: string): unknown {
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
      return value === null ? null : plain(value);
    default:
      throw new TypeError("a function or symbol is not plain data");
  }
}

const plain = (value: object): unknown => {
  const all = Reflect.ownKeys(value).length;
  const written = Object.keys(value).length;
  switch (Object.getPrototypeOf(value)) {
    case Object.prototype:
    case null:
      if (all === written) return value;
      break;
    case Array.prototype:
      if (all === written + 1 && written === (value as unknown[]).length) return value; // beside the items only `length`
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
  throw new TypeError("an object with members that JSON does not write");
};
