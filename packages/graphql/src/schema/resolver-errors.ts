import { getNamedType, getNullableType, type GraphQLOutputType, isListType } from "graphql";
import { hasParts } from "../graphql-js/in-parts.ts";
import { normalizeError } from "../graphql-js/normalize-error.ts";

const resolverErrors = new WeakSet<object>();

/** Marks an error that application code threw or returned. */
export const markResolverError = (error: unknown): void => {
  if (typeof error === "object" && error !== null) resolverErrors.add(error);
};

/** Marks an error that application code threw, and throws it. */
export const throwResolverError = (error: unknown): never => {
  markResolverError(error);
  throw error;
};

/** Whether application code threw or returned the error. */
export const isResolverError = (error: object): boolean => resolverErrors.has(error);

/** Marks the error with which a promise of application code rejects. */
export const markRejection = (promise: unknown): void => {
  if (promise instanceof Promise) promise.catch(markResolverError); // runs before GraphQL's own handlers
};

/**
 * Marks the errors that a field's value contains where GraphQL throws them: the value, items of lists, what promises resolve to or reject with, and what
 * iterations throw. Errors in the conversion of a value, such as the output of a scalar, stay unmarked.
 *
 * @returns the value to complete: iterables, thenables and promises of lists are replaced by ones that mark errors
 */
export const marked = (value: unknown, type: GraphQLOutputType): unknown => {
  if (typeof value !== "object" || value === null) return value;
  if (isThenable(value)) return markedPromise(value, type);
  if (value instanceof Error) markResolverError(value);
  else if (isIterable(value)) {
    const list = getNullableType(type);
    if (isListType(list)) return markedItems(value, list.ofType);
  }
  return value;
};

/** Marks the errors of a source of events, whose items are not values of the field. */
export const markedSource = (source: unknown, type: GraphQLOutputType): unknown =>
  marked(source, getNamedType(type));

const isThenable = (value: object): value is PromiseLike<unknown> =>
  typeof (value as Partial<PromiseLike<unknown>>).then === "function";

const isIterable = (value: object): boolean =>
  Symbol.iterator in value || (hasParts && Symbol.asyncIterator in value);

const markedPromise = (value: PromiseLike<unknown>, type: GraphQLOutputType): unknown => {
  if (value instanceof Promise && !isListType(getNullableType(type))) {
    value.then((result) => marked(result, type), markResolverError); // runs before GraphQL's own handlers
    return value;
  }
  const promise = Promise.resolve(value).then((result) => marked(result, type), throwResolverError);
  promise.catch(() => {}); // GraphQL drops the promises of a list that has failed
  return promise;
};

const markedItems = (value: object, type: GraphQLOutputType): unknown => {
  if (Array.isArray(value)) return markedArray(value, type);
  if (hasParts && Symbol.asyncIterator in value) {
    const source = value as AsyncIterable<unknown>;
    return { [Symbol.asyncIterator]: () => asyncSteps(source[Symbol.asyncIterator](), type) };
  }
  const source = value as Iterable<unknown>;
  return { [Symbol.iterator]: () => steps(source, type) };
};

/** Copies the array only if an item is replaced. */
const markedArray = (items: readonly unknown[], type: GraphQLOutputType): readonly unknown[] => {
  let copy: unknown[] | null = null;
  for (let at = 0; at < items.length; at++) {
    const item = marked(items[at], type);
    if (item !== items[at]) (copy ??= Array.from(items))[at] = item;
  }
  return copy ?? items;
};

function* steps(source: Iterable<unknown>, type: GraphQLOutputType): Generator<unknown> {
  try {
    for (const item of source) yield marked(item, type);
  } catch (error) {
    throwResolverError(normalizeError(error));
  }
}

/** Not a generator, because its `return()` would wait for the next item. */
const asyncSteps = (source: AsyncIterator<unknown>, type: GraphQLOutputType): AsyncIterator<unknown> => ({
  async next() {
    try {
      const step = await source.next();
      return step.done === true ? step : { done: false, value: marked(step.value, type) };
    } catch (error) {
      return throwResolverError(normalizeError(error));
    }
  },
  async return() {
    await source.return?.();
    return { done: true, value: undefined };
  },
});
