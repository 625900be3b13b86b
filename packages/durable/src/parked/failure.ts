import { createHash } from "node:crypto";

/** A failure in the form in which it is stored: plain strings, truncated. */
export interface Failure {
  /** Class of the error: its `name`. */
  readonly name: string;
  /** Message of the error, truncated. */
  readonly message: string;
  /** Code of the error; `null` without one. */
  readonly code: string | null;
  /** Stack of the error, truncated; `null` if it had none. */
  readonly stack: string | null;
}

/** The part of a failure that is shown with its item. */
export type StoredFailure = Pick<Failure, "name" | "message" | "code">;

/** Parses a failure that was stored as JSON. */
export const failureIn = (text: string): StoredFailure => {
  const { name, message, code } = JSON.parse(text) as StoredFailure;
  return { name, message, code };
};

const MAX_NAME = 200;
const MAX_MESSAGE = 2000;
const MAX_STACK = 8000;

/** Describes a thrown value of any type. */
export const failureOf = (error: unknown): Failure => {
  if (!Error.isError(error))
    return { name: "thrown", message: cut(textOfAny(error), MAX_MESSAGE), code: null, stack: null };
  const code = read(error, "code");
  const stack = read(error, "stack");
  return {
    name: cut(textOf(read(error, "name")), MAX_NAME),
    message: cut(textOf(read(error, "message")), MAX_MESSAGE),
    code: typeof code === "string" ? cut(code, MAX_NAME) : null,
    stack: typeof stack === "string" ? cut(stack, MAX_STACK) : null,
  };
};

/** Returns a hash of the class and the functions of the stack, which groups failures with the same cause. Positions are omitted: they change with every release. */
export const stackHash = ({ name, message, stack }: Failure): string => {
  const frames = (stack ?? message)
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.replace(/\s*\(?[^\s()]*:\d+:\d+\)?$/, "").trim());
  const fingerprint = frames.length > 0 ? frames.join("\n") : message.replace(/\d+/g, "0");
  return createHash("sha256").update(`${name}\n${fingerprint}`).digest("hex").slice(0, 16);
};

/** PostgreSQL cannot store NUL, and neither database can store a lone surrogate. */
const cut = (text: string, length: number): string =>
  text.slice(0, length).replaceAll("\0", "\uFFFD").toWellFormed();

/** A getter may throw: the getter of `stack` does if formatting it requires a string message and the message is not one. */
const read = (error: Error, field: keyof Failure): unknown => {
  try {
    return (error as Partial<Record<keyof Failure, unknown>>)[field];
  } catch {
    return undefined;
  }
};

/** Programs may set the name or message of an error to any value. */
const textOf = (value: unknown): string => (typeof value === "string" ? value : textOfAny(value));

const textOfAny = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return "a value that cannot be shown";
  }
};
