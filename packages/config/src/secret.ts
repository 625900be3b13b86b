import { inspect } from "node:util";

/** Values by their wrapper. A property, even one marked `private`, would be visible to `inspect`, copies and serialisers. */
const values = new WeakMap<Secret, string>();

/**
 * A string that prints as `[redacted]` everywhere: JSON, templates, concatenation, `String`, `util.inspect`, `console.log`.
 *
 * It has no properties, so copies (`structuredClone`, spread) contain nothing.
 */
export class Secret {
  constructor(value: string) {
    values.set(this, value);
    Object.freeze(this);
  }

  /** Returns the text itself. */
  reveal(): string {
    return values.get(this) ?? "";
  }

  /** Returns `[redacted]`. */
  toString(): string {
    return REDACTED;
  }

  /** Returns `[redacted]`. */
  toJSON(): string {
    return REDACTED;
  }

  /** Returns `[redacted]`, for templates and concatenation. */
  [Symbol.toPrimitive](): string {
    return REDACTED;
  }

  // A computed member would need a type that a declaration file cannot name.
  static {
    Object.defineProperty(Secret.prototype, inspect.custom, { value: (): string => REDACTED });
  }
}

/** Printed in place of every secret. */
export const REDACTED = "[redacted]";
