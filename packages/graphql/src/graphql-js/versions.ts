/** Differences between graphql 16 and 17; all other code uses only members that both have. */
import type { Awaitable } from "@framework/core";
import { isPromise } from "@framework/core/feature";
import * as library from "graphql";
import { type ExecutionArgs, type ExecutionResult, type GraphQLArgument, GraphQLError, Kind } from "graphql";
import { untilAborted } from "./until-aborted.ts";

/** A signal that aborts when a result is no longer needed. */
export interface Cancellation {
  readonly signal: AbortSignal;
}

/** The events of a subscription, or the errors that prevent it. */
type Source = AsyncIterable<unknown> | ExecutionResult;

/** Undefined in graphql 16. */
const { validateSubscriptionArgs } = library as Partial<typeof library>;
const createSource = library.createSourceEventStream as (args: unknown) => Awaitable<Source>; // 16 accepts unvalidated arguments

/**
 * Executes an operation, or an event of a subscription as its `rootValue`. Rejects if the signal aborts first: graphql 17 then starts no further resolver,
 * graphql 16 executes the rest.
 */
export const executeUntil: (args: ExecutionArgs, until: Cancellation) => Awaitable<ExecutionResult> =
  validateSubscriptionArgs === undefined
    ? (args, until) => {
        const result = library.execute(args);
        return isPromise(result) ? untilAborted(result, until.signal) : result;
      }
    : (args, until) => {
        const signal = new DeferredSignal();
        const result = library.execute({ ...args, abortSignal: signal as unknown as AbortSignal });
        if (isPromise(result)) signal.follow(until.signal);
        return result;
      };

/**
 * A signal with only the members of AbortSignal that the library uses. It follows the real signal once an operation is asynchronous: a synchronous operation
 * cannot be aborted, and creating the signal of a request with a listener takes 1 µs.
 */
class DeferredSignal {
  private signal: AbortSignal | null = null;
  private listener: (() => void) | null = null;

  follow(signal: AbortSignal): void {
    const { listener } = this;
    this.signal = signal;
    if (listener === null) return; // the operation has ended
    if (signal.aborted) listener();
    else signal.addEventListener("abort", listener);
  }

  get reason(): unknown {
    return this.signal?.reason;
  }

  throwIfAborted(): void {
    this.signal?.throwIfAborted();
  }

  addEventListener(_type: "abort", listener: () => void): void {
    this.listener = listener;
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.listener = null;
    this.signal?.removeEventListener("abort", listener);
  }
}

/** Opens the event source of a subscription. Rejects if the signal aborts first. */
export const openSource: (args: ExecutionArgs, until: Cancellation) => Awaitable<Source> =
  validateSubscriptionArgs === undefined
    ? (args, { signal }) => untilAborted(Promise.resolve(createSource(args)), signal)
    : (args, { signal }) => {
        const valid = validateSubscriptionArgs({ ...args, abortSignal: signal });
        return "schema" in valid ? createSource(valid) : { errors: valid };
      };

/** Returns the default value of an argument; literals of numbers as numbers. */
export const defaultOf = ({ default: initial, defaultValue }: GraphQLArgument): unknown => {
  const literal = initial?.literal;
  if (literal?.kind === Kind.INT || literal?.kind === Kind.FLOAT) return Number(literal.value);
  return initial?.value ?? defaultValue;
};

const SUGGESTION = / Did you mean (?:[a-z ]+ )?"\w+"(?:, "\w+")*(?:,? or "\w+")?\?$/;

/** Removes suggested names of the schema from a message: releases before 16.15 have no option for it. */
export const withoutSuggestion = (error: GraphQLError): GraphQLError => {
  const { message, nodes, source, positions, path, originalError, extensions } = error;
  const short = message.replace(SUGGESTION, "");
  if (short === message) return error;
  return new GraphQLError(short, { nodes, source, positions, path, originalError, extensions });
};
