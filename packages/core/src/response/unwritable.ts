/** What `findUnwritable` looks for besides cycles. */
export interface UnwritableOptions {
  /** Bigints are written, so they are no problem. */
  readonly bigint: boolean;
  /** Whether nesting was too deep for the writer. */
  readonly deep: boolean;
}

/** Nesting that every writer manages; one that gave up did so far below. */
const depthOfAll = 500;

interface Frame {
  readonly value: object;
  readonly keys: readonly string[];
  next: number;
}

/**
 * The place of the first thing that made JSON's writer give up, in words: `$.books[3].id is a bigint`; `null` when there is none.
 *
 * Walks as the writer does, `toJSON` included, but without recursion, so that no depth can exhaust the stack.
 */
export const findUnwritable = (data: unknown, options: UnwritableOptions): string | null => {
  const stack: Frame[] = [];
  const enclosing = new Map<object, string>();
  const enter = (holder: unknown, key: string): string | null => {
    const value = written(holder, key);
    const path = () => pathOf(stack);
    if (isBigint(value) && !options.bigint) return `${path()} is a bigint`;
    if (typeof value !== "object" || value === null) return null;
    const earlier = enclosing.get(value);
    if (earlier !== undefined) return `${path()} is a cycle back to ${earlier}`;
    if (options.deep && stack.length > depthOfAll) return `${path()} is nested too deeply`;
    if (stack.length > 20 * depthOfAll) return null;
    enclosing.set(value, path());
    stack.push({ value, keys: Object.keys(value), next: 0 });
    return null;
  };
  let problem = enter({ "": data }, "");
  while (problem === null) {
    const frame = stack.at(-1);
    if (frame === undefined) return null;
    const key = frame.keys[frame.next++];
    if (key !== undefined) problem = enter(frame.value, key);
    else {
      stack.pop();
      enclosing.delete(frame.value);
    }
  }
  return problem;
};

const written = (holder: unknown, key: string): unknown => {
  const value = (holder as Record<string, unknown>)[key];
  const toJSON = (value as { toJSON?: unknown } | null | undefined)?.toJSON;
  return typeof toJSON === "function" ? (toJSON.call(value, key) as unknown) : value;
};

const isBigint = (value: unknown): boolean => typeof value === "bigint" || value instanceof BigInt;

const identifier = /^[A-Za-z_$][\w$]*$/;
const shownSegments = 10;

/** `$.books[3]["a b"]` of the keys being visited; a long path ends in an ellipsis. */
const pathOf = (stack: readonly Frame[]): string => {
  const segments = stack.slice(0, shownSegments).map(({ value, keys, next }) => {
    const key = keys[next - 1] ?? "";
    if (Array.isArray(value)) return `[${key}]`;
    return identifier.test(key) ? `.${key}` : `[${JSON.stringify(key.slice(0, 40))}]`;
  });
  return `$${segments.join("")}${stack.length > shownSegments ? "…" : ""}`;
};
