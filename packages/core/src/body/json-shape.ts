import { type Token, tokenOf } from "../exchange/window-token.ts";

/** The ordered keys of an object, or the element shape of an array, learned from an earlier body. */
export interface JsonShape {
  readonly isArray: boolean;
  readonly members: readonly Member[];
  /** The shape of each element of an array; `null` for elements that are neither objects nor arrays. */
  readonly item: JsonShape | null;
  /** An object with these keys, created by `JSON.parse`; it is copied for each body. */
  readonly template: Readonly<Record<string, unknown>>;
}

/** A key of an object. */
export interface Member {
  readonly key: string;
  /** Its JSON text with the preceding `{` or `,`, such as `,"id":`. */
  readonly token: Token;
  /** Its JSON text alone, such as `"id":`; used when blanks follow the `{` or `,`. */
  readonly name: Token;
  /** The shape of its value; `null` for a value that is neither an object nor an array, or has no shape. */
  readonly value: JsonShape | null;
}

const MAX_KEYS = 64;
const MAX_DEPTH = 8;

// Begins with a letter, `_` or `$`: an object would order an integer key before its other keys.
const KEY = /^[A-Za-z_$][\w $.:@/-]{0,63}$/;

/**
 * Returns the shape of a parsed body; `null` for a body that is neither an object nor an array, has more than 64 keys, or has a top-level key that only
 * `JSON.parse` handles. A nested value that is too deep or has such a key gets the shape `null`, so a reader of the shape fails there.
 */
export const shapeOf = (value: unknown): JsonShape | null => {
  const budget = { keys: MAX_KEYS };
  const shape = isObject(value) ? shapeOfObject(value, budget, MAX_DEPTH) : null;
  return shape === null || budget.keys < 0 ? null : shape;
};

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

const shapeOfObject = (value: object, budget: { keys: number }, depth: number): JsonShape | null => {
  if (depth === 0) return null;
  const ofValue = (inner: unknown): JsonShape | null =>
    isObject(inner) ? shapeOfObject(inner, budget, depth - 1) : null;
  if (Array.isArray(value)) return { ...emptyShape, isArray: true, item: ofValue(value[0]) };
  const keys = Object.keys(value);
  budget.keys -= keys.length;
  if (budget.keys < 0 || !keys.every(isPlainKey)) return null;
  return {
    ...emptyShape,
    isArray: false,
    item: null,
    members: keys.map((key, index) => ({
      key,
      token: tokenOf(`${index === 0 ? "{" : ","}"${key}":`),
      name: tokenOf(`"${key}":`),
      value: ofValue((value as Record<string, unknown>)[key]),
    })),
    template: JSON.parse(`{${keys.map((key) => `"${key}":null`).join()}}`) as Record<string, unknown>,
  };
};

const emptyShape: JsonShape = { isArray: false, item: null, members: [], template: {} };

const isPlainKey = (key: string): boolean => KEY.test(key) && key !== "__proto__";
