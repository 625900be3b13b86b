/**
 * Returns a copy of plain data: objects, arrays, maps, sets, dates and bytes, of which a `Buffer` stays one. Values of other classes, also of those that extend
 * these, are the same in the copy, and so are functions.
 */
export const copyOf = (value: unknown): unknown => memberOf(value, null);

/** An object whose members are copied, since data from code can have cycles. */
interface Open {
  readonly value: object;
  readonly copy: object;
  readonly outer: Open | null;
}

const memberOf = (value: unknown, outer: Open | null): unknown => {
  if (typeof value !== "object" || value === null) return value;
  for (let open = outer; open !== null; open = open.outer) if (open.value === value) return open.copy;
  if (Array.isArray(value)) {
    const copy = value.slice() as unknown[];
    const open = { value, copy, outer };
    for (let at = 0; at < copy.length; at++) copy[at] = memberOf(copy[at], open);
    return copy;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null
    ? recordOf(value, prototype, outer)
    : builtInOf(value, outer);
};

const recordOf = (value: object, prototype: object | null, outer: Open | null): object => {
  const copy: Record<string, unknown> = { __proto__: prototype, ...value }; // defines each member, also one that is called `__proto__`
  const open = { value, copy, outer };
  for (const name in copy) {
    const member = copy[name];
    if (typeof member === "object") copy[name] = memberOf(member, open);
  }
  return copy;
};

const builtInOf = (value: object, outer: Open | null): object => {
  if (value instanceof Uint8Array) return Uint8Array.prototype.slice.call(value); // of the same class
  switch (Object.getPrototypeOf(value)) {
    case Date.prototype:
      return new Date(value as Date);
    case Set.prototype:
      return setOf(value as Set<unknown>, outer);
    case Map.prototype:
      return mapOf(value as Map<unknown, unknown>, outer);
    default:
      return value;
  }
};

const setOf = (value: Set<unknown>, outer: Open | null): Set<unknown> => {
  const copy = new Set<unknown>();
  const open = { value, copy, outer };
  for (const member of value) copy.add(memberOf(member, open));
  return copy;
};

const mapOf = (value: Map<unknown, unknown>, outer: Open | null): Map<unknown, unknown> => {
  const copy = new Map<unknown, unknown>();
  const open = { value, copy, outer };
  for (const [key, member] of value) copy.set(memberOf(key, open), memberOf(member, open));
  return copy;
};
