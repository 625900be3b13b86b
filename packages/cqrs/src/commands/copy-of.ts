/**
 * Returns a deep copy of plain data: objects, arrays, maps, sets, dates, array buffers and their views, such as a `Buffer`. Shared references stay shared in the
 * copy, such as an array buffer with two views; only a `Buffer` gets bytes of its own. Functions and instances of other classes, including subclasses of
 * these, are not copied.
 */
export const copyOf = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value;
  const copies: Copies = new Map();
  const copy = copyOfMember(value, copies);
  for (const [source, target] of copies) fill(target, source, copies); // also visits entries added during the loop; no recursion, because data can be deep
  return copy;
};

/** Objects found so far, with their copies, whose members are copied later. */
type Copies = Map<object, object>;

const copyOfMember = (value: unknown, copies: Copies): unknown => {
  if (typeof value !== "object" || value === null) return value;
  let copy = copies.get(value);
  if (copy === undefined) {
    copy = startCopy(value, copies);
    copies.set(value, copy);
  }
  return copy;
};

const unsigned = [Uint8Array, Uint8ClampedArray, Uint16Array, Uint32Array, BigUint64Array];
const signed = [Int8Array, Int16Array, Int32Array, BigInt64Array, Float16Array, Float32Array, Float64Array];
const views: ReadonlySet<unknown> = new Set(
  [...unsigned, ...signed, DataView].map((view): unknown => view.prototype),
);

/** Creates a copy whose members `fill` replaces or adds later. */
const startCopy = (value: object, copies: Copies): object => {
  const prototype: unknown = Object.getPrototypeOf(value);
  switch (prototype) {
    case Object.prototype:
    case null:
      return { __proto__: prototype, ...value }; // defines each member, even one named `__proto__`
    case Array.prototype:
      return (value as unknown[]).slice();
    case Date.prototype:
      return new Date(value as Date);
    case Set.prototype:
      return new Set();
    case Map.prototype:
      return new Map();
    case ArrayBuffer.prototype:
      return bufferOf(value as ArrayBuffer);
    case Buffer.prototype:
      return Buffer.from(value as Buffer); // only its bytes, because small buffers share the memory of a pool
    default:
      return views.has(prototype) ? viewOf(value as View, copies) : value;
  }
};

const bufferOf = (buffer: ArrayBuffer): ArrayBuffer => (buffer.detached ? buffer : structuredClone(buffer));

type View = Uint8Array | DataView;

/** Returns the same view of the copy of its buffer. */
const viewOf = (view: View, copies: Copies): View => {
  const { buffer } = view;
  if (buffer instanceof SharedArrayBuffer || buffer.detached) return view;
  let copy = copies.get(buffer);
  if (copy === undefined) {
    copy = bufferOf(buffer);
    copies.set(buffer, copy);
  }
  const length = view instanceof DataView ? view.byteLength : view.length;
  return Reflect.construct(view.constructor, [copy, view.byteOffset, length]) as View;
};

const fill = (copy: object, source: object, copies: Copies): void => {
  if (copy === source) return;
  switch (Object.getPrototypeOf(copy)) {
    case Object.prototype:
    case null:
      for (const name in copy) replaceMember(copy, name, copies);
      break;
    case Array.prototype:
      for (let at = 0; at < (copy as unknown[]).length; at++) replaceMember(copy, at, copies);
      for (const name of nonIndexKeys(source as unknown[]))
        Object.defineProperty(copy, name, {
          value: copyOfMember((source as Members)[name], copies),
          enumerable: true,
          configurable: true,
          writable: true,
        }); // also a member named `__proto__`
      break;
    case Set.prototype:
      for (const member of source as Set<unknown>) (copy as Set<unknown>).add(copyOfMember(member, copies));
      break;
    case Map.prototype:
      for (const [key, member] of source as Map<unknown, unknown>)
        (copy as Map<unknown, unknown>).set(copyOfMember(key, copies), copyOfMember(member, copies));
  }
};

/** Returns the keys of an array's properties that are not elements, such as `groups` of a RegExp match. They follow the indexes, of which a sparse array has fewer than `length`. */
const nonIndexKeys = (list: readonly unknown[]): readonly string[] => {
  const names = Object.keys(list);
  return names.slice(names.findLastIndex((name) => isIndex(name)) + 1);
};

/** Whether a key is an array index (ECMA-262 6.1.7): the largest is 2^32 - 2. */
const isIndex = (name: string): boolean => String(Number(name) >>> 0) === name && name !== "4294967295";

type Members = Record<string | number, unknown>;

const replaceMember = (copy: object, name: string | number, copies: Copies): void => {
  const members = copy as Members;
  const member = members[name];
  if (typeof member === "object" && member !== null) members[name] = copyOfMember(member, copies);
};
