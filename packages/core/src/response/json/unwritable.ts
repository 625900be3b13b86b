/** Properties of the JSON writer whose failure `findUnwritable` explains. */
export interface UnwritableOptions {
  /** Whether the writer writes bigints. */
  readonly bigint: boolean;
  /** Whether the writer failed on deep nesting. */
  readonly deep: boolean;
}

/** Nesting depth that every JSON writer can handle; deeper nesting may be the cause of a failure. */
const SAFE_DEPTH = 500;

/** An object that encloses the current value. */
export interface Frame {
  readonly value: object;
  readonly keys: readonly string[];
  nextIndex: number;
}

/**
 * Describes the first value that JSON's writer cannot write, such as `$.books[3].id is a bigint`; `null` if there is none within 10,000 levels.
 *
 * Traverses in the writer's order, `toJSON` included, but without recursion, so that no depth can exhaust the stack.
 */
export const findUnwritable = (data: unknown, options: UnwritableOptions): string | null => {
  const stack: Frame[] = [];
  const enclosing = new Map<object, string>();
  const enter = (holder: unknown, key: string): string | null => {
    const value = jsonValue(holder, key);
    const path = () => pathOf(stack);
    if (isBigint(value) && !options.bigint) return `${path()} is a bigint`;
    if (typeof value !== "object" || value === null) return null;
    const earlier = enclosing.get(value);
    if (earlier !== undefined) return `${path()} is a cycle back to ${earlier}`;
    if (options.deep && stack.length > SAFE_DEPTH) return `${path()} is nested too deeply`;
    if (stack.length > 20 * SAFE_DEPTH) return null;
    enclosing.set(value, path());
    stack.push({ value, keys: Object.keys(value), nextIndex: 0 });
    return null;
  };
  let problem = enter({ "": data }, "");
  while (problem === null) {
    const frame = stack.at(-1);
    if (frame === undefined) return null;
    const key = frame.keys[frame.nextIndex++];
    if (key !== undefined) problem = enter(frame.value, key);
    else {
      stack.pop();
      enclosing.delete(frame.value);
    }
  }
  return problem;
};

/** The value under a key as JSON writes it, `toJSON` included. */
export const jsonValue = (holder: unknown, key: string): unknown => {
  const value = (holder as Record<string, unknown>)[key];
  const toJSON = (value as { toJSON?: unknown } | null | undefined)?.toJSON;
  return typeof toJSON === "function" ? (toJSON.call(value, key) as unknown) : value;
};

const isBigint = (value: unknown): boolean => typeof value === "bigint" || value instanceof BigInt;

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const SHOWN_SEGMENTS = 10;

/** Path of the current keys, such as `$.books[3]["a b"]`; a long one is truncated with an ellipsis. */
export const pathOf = (stack: readonly Frame[]): string => {
  const segments = stack.slice(0, SHOWN_SEGMENTS).map(({ value, keys, nextIndex }) => {
    const key = keys[nextIndex - 1] ?? "";
    if (Array.isArray(value)) return `[${key}]`;
    return IDENTIFIER.test(key) ? `.${key}` : `[${JSON.stringify(key.slice(0, 40))}]`;
  });
  return `$${segments.join("")}${stack.length > SHOWN_SEGMENTS ? "…" : ""}`;
};
