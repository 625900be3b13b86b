import { getNullableType, type GraphQLOutputType, isListType } from "graphql";
import { hasParts } from "../graphql-js/in-parts.ts";
import { normalizeError } from "../graphql-js/normalize-error.ts";

const shownErrors = new WeakSet<object>();

/** Marks an error that application code threw. */
export const markShown = (error: unknown): void => {
  if (typeof error === "object" && error !== null) shownErrors.add(error);
};

/** Marks an error that application code threw, and throws it. */
export const throwShown = (error: unknown): never => {
  markShown(error);
  throw error;
};

/**
 * Marks errors that application code returns, directly or as items of a list, and also from promises: GraphQL throws them. Errors in the conversion of
 * a value, such as the output of a scalar, stay unmarked.
 */
export const markReturned = (value: unknown): void => {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) for (const item of value) markItem(item);
  else markItem(value);
};

const markItem = (value: unknown): void => {
  if (value instanceof Error) markShown(value);
  else if (value instanceof Promise) value.then(markReturned, markShown); // runs before GraphQL's own handlers
};

/**
 * Marks the errors of a field's value, and returns the value to complete. An async iterable for a list, which only graphql 17 reads, is replaced by one that
 * marks the errors of its items.
 */
export const marked = (value: unknown, type: GraphQLOutputType): unknown => {
  markReturned(value);
  if (!hasParts || !mayBeIterable(value) || !isListType(getNullableType(type))) return value;
  return value instanceof Promise ? value.then(markedItems) : markedItems(value);
};

const mayBeIterable = (value: unknown): boolean =>
  typeof value === "object" && value !== null && (value instanceof Promise || Symbol.asyncIterator in value);

const markedItems = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null || !(Symbol.asyncIterator in value)) return value;
  const source = value as AsyncIterable<unknown>;
  return { [Symbol.asyncIterator]: () => markedSteps(source[Symbol.asyncIterator]()) };
};

/** Not a generator, because its `return()` would wait for the next item. */
const markedSteps = (source: AsyncIterator<unknown>): AsyncIterator<unknown> => ({
  async next() {
    try {
      const step = await source.next();
      markReturned(step.value);
      return step;
    } catch (error) {
      return throwShown(normalizeError(error));
    }
  },
  async return() {
    await source.return?.();
    return { done: true, value: undefined };
  },
});

/** Whether application code threw or returned the error. */
export const isShown = (error: object): boolean => shownErrors.has(error);
