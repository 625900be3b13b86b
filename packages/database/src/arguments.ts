import { FrameworkError } from "@framework/core";
import { describeInvalid, unknownFields } from "@framework/core/feature";
import type { Isolation, TransactionOptions } from "./queries.ts";

/** Maximum number of retries of a transaction. */
const MAX_RETRIES = 20;

const isolations: readonly Isolation[] = ["read committed", "repeatable read", "serializable"];

const optionNames = Object.keys({
  isolation: 0,
  readOnly: 0,
  retries: 0,
  timeoutSecs: 0,
  signal: 0,
} satisfies Record<keyof TransactionOptions, 0>);

/** @throws DATABASE_BAD_TRANSACTION unless `run` is a function */
export const checkRun = (run: unknown): void => {
  if (typeof run !== "function")
    throw badTransaction(
      `a transaction needs a function, \`transaction(async (tx) => …)\`, not ${describeInvalid(run)}`,
    );
};

/** @throws DATABASE_BAD_TRANSACTION, DATABASE_BAD_SIGNAL */
export const checkOptions = (options: TransactionOptions): void => {
  if (!isObject(options))
    throw badTransaction(`the options of a transaction must be an object, not ${describeInvalid(options)}`);
  const { retries, isolation, readOnly, signal } = options;
  const [unknown] = unknownFields("the options object of transaction", options, optionNames);
  if (unknown !== undefined) throw badTransaction(unknown);
  if (retries !== undefined && !(Number.isInteger(retries) && retries >= 0 && retries <= MAX_RETRIES))
    throw badTransaction(`retries must be a whole number from 0 to ${MAX_RETRIES}, not ${retries}`);
  if (isolation !== undefined && !isolations.includes(isolation))
    throw badTransaction(`isolation must be one of ${isolations.join(", ")}`);
  if (readOnly !== undefined && typeof readOnly !== "boolean")
    throw badTransaction(`readOnly must be true or false, not ${describeInvalid(readOnly)}`);
  if (signal !== undefined) checkSignal(signal);
};

/** @throws DATABASE_BAD_TRANSACTION unless the callback of `onCommit` is a function */
export const checkCallback = (callback: unknown): void => {
  if (typeof callback !== "function")
    throw badTransaction(`onCommit needs a function, not ${describeInvalid(callback)}`);
};

/** Also accepts signals of other realms. @throws DATABASE_BAD_SIGNAL */
export const checkSignal = (signal: unknown): void => {
  const { aborted, addEventListener } = isObject(signal) ? (signal as Partial<AbortSignal>) : {};
  if (typeof aborted === "boolean" && typeof addEventListener === "function") return;
  throw new FrameworkError(
    "DATABASE_BAD_SIGNAL",
    `a signal must be an AbortSignal, such as \`signal\` of an AbortController, not ${describeInvalid(signal)}`,
  );
};

/** @throws DATABASE_BAD_STATEMENT unless a script is a string */
export const checkScript = (text: unknown): void => {
  if (typeof text !== "string")
    throw new FrameworkError(
      "DATABASE_BAD_STATEMENT",
      `a script must be a string, not ${describeInvalid(text)}; \`query\` and \`execute\` accept templates`,
    );
};

export const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

const badTransaction = (problem: string): FrameworkError =>
  new FrameworkError("DATABASE_BAD_TRANSACTION", problem);
