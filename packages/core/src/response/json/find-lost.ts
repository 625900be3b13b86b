import { type Frame, jsonValue, pathOf } from "./unwritable.ts";

/** Maximum number of values inspected per reply, unless `exact`. */
const MAX_VALUES = 100_000;

/**
 * Describes the first value whose content JSON loses, such as `$.tags is a Set …`; `null` if there is none. Inspects the first 100,000 values.
 *
 * Such values are functions, symbols, promises, errors, collections, bytes, and other objects with content outside their own members. `data` was already
 * written as JSON, so it has no cycle.
 *
 * @param exact whether values that JSON writes as `null` count too: `NaN`, infinities, invalid dates, and `undefined` in arrays; all values are then inspected.
 * @default false
 */
export const findLost = (data: unknown, exact = false): string | null => {
  const stack: Frame[] = [];
  let seen = 0;
  const enter = (holder: unknown, key: string): string | null => {
    const value = jsonValue(holder, key);
    const problem = lossOf(value) ?? (exact ? nullOf(holder, key, value) : null);
    if (problem !== null) return `${pathOf(stack)} is ${problem}`;
    if (typeof value === "object" && value !== null) {
      const withHoles = exact && Array.isArray(value);
      const keys = withHoles ? Array.from(value, (_, at) => String(at)) : Object.keys(value);
      stack.push({ value, keys, nextIndex: 0 });
    }
    return null;
  };
  let problem = enter({ "": data }, "");
  while (problem === null && (exact || seen++ < MAX_VALUES)) {
    const frame = stack.at(-1);
    if (frame === undefined) return null;
    const key = frame.keys[frame.nextIndex++];
    if (key === undefined) stack.pop();
    else problem = enter(frame.value, key);
  }
  return problem;
};

const lossOf = (value: unknown): string | null => {
  if (typeof value === "function") return "a function, which JSON leaves out; call it";
  if (typeof value === "symbol") return "a symbol, which JSON leaves out; send its description";
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  return isLiteral(value) ? null : lossOfObject(value);
};

/** Describes a value that JSON writes as `null`; `null` for any other. */
const nullOf = (holder: unknown, key: string, value: unknown): string | null => {
  if (value === null)
    return (holder as Record<string, unknown>)[key] instanceof Date // its toJSON returned null
      ? "an invalid date, which JSON writes as null; use null or a string"
      : null;
  if (typeof value === "number" && !Number.isFinite(value))
    return `${value}, which JSON writes as null; use null or a string`;
  const isElement = value === undefined && Array.isArray(holder);
  return isElement ? "undefined, which JSON writes as null; use null" : null;
};

const isLiteral = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

const lossOfObject = (value: object): string | null => {
  if (typeof (value as { then?: unknown }).then === "function")
    return "a promise, which JSON writes as {}; await it";
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  if (tag === "Error") return "an error, which JSON writes without its message; send error.message";
  if (tag === "Map") return "a Map, which JSON writes as {}; send Object.fromEntries(map)";
  if (tag === "Set") return "a Set, which JSON writes as {}; send [...set]";
  if (ArrayBuffer.isView(value)) return `a ${tag}, which JSON writes member by member; send it as text`;
  if (Object.keys(value).length > 0 || primitives.has(tag)) return null;
  if (tag !== "Object" || Symbol.iterator in value || Symbol.asyncIterator in value || hasGetter(value))
    return `${articleOf(tag)}, which JSON writes as {}; send its content as plain data`;
  return null;
};

/** Tags of boxed values, which JSON writes as their primitive, and of dates. */
const primitives: ReadonlySet<string> = new Set(["Boolean", "Number", "String", "Date"]);

/** Whether the class of an object has getters, which may read members that JSON omits, such as private members. */
const hasGetter = (value: object): boolean => {
  let prototype: unknown = Object.getPrototypeOf(value);
  while (typeof prototype === "object" && prototype !== null && prototype !== Object.prototype) {
    const members = Object.entries(Object.getOwnPropertyDescriptors(prototype));
    if (members.some(([name, { get }]) => get !== undefined && name !== "__proto__")) return true; // `Object.prototype` of another realm also has this getter
    prototype = Object.getPrototypeOf(prototype);
  }
  return false;
};

const articleOf = (tag: string): string => {
  if (tag === "Object") return "an instance of a class with getters";
  return `${/^[AEIO]/.test(tag) ? "an" : "a"} ${tag}`;
};
