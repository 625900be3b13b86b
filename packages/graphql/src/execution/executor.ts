import type { Awaitable, GuardOptions } from "@framework/core";
import {
  type HostState,
  isPromise,
  mapAwaitable,
  type OpenScope,
  type Operations,
} from "@framework/core/feature";
import { type ExecutionArgs, type ExecutionResult, GraphQLError, type GraphQLSchema } from "graphql";
import type { Prepared } from "../documents/documents.ts";
import { addValues, createContext } from "../context/create-context.ts";
import type { GraphqlContext } from "../context/graphql-context.ts";
import { executeUntil, openSource, withoutSuggestion } from "../graphql-js/versions.ts";
import type { Caller } from "./caller.ts";
import type { StartedOperation } from "./graphql-operations.ts";
import { OperationInvocation } from "./operation-invocation.ts";
import { settled } from "./settled.ts";
import type { Traffic } from "./traffic.ts";
import { untilAborted } from "../graphql-js/until-aborted.ts";

/** Options of execution, with `introspection` settled. */
export interface ExecutionOptions {
  readonly introspection: boolean;
  readonly tracing: boolean;
  readonly context: ((base: GraphqlContext) => Awaitable<object>) | undefined;
}

/** Dependencies of an executor. */
export interface ExecutorParts {
  readonly schema: GraphQLSchema;
  readonly config: ExecutionOptions;
  readonly state: Pick<HostState, "scope">;
  readonly operations: Operations<StartedOperation, ExecutionResult>;
  readonly traffic: Traffic;
  readonly guardOptions: GuardOptions;
}

/** The results of a subscription. */
export type Events = AsyncGenerator<ExecutionResult, void, void>;

/** Executes prepared operations: each in its own scope, with its own loaders, as an operation of the app. */
export class Executor {
  private readonly parts: ExecutorParts;

  constructor(parts: ExecutorParts) {
    this.parts = parts;
  }

  /** Executes a query or a mutation; synchronous where all resolvers are. Fails only for faults outside of resolvers, such as a failing `context`. */
  execute(prepared: Prepared, caller: Caller): Awaitable<ExecutionResult> {
    return this.measured(prepared, caller, () => this.inScope(prepared, caller));
  }

  /** Begins a subscription. Each of its events is executed in a scope of its own. */
  async subscribe(prepared: Prepared, caller: Caller): Promise<Events | ExecutionResult> {
    let events: Events | null = null;
    const result = await this.measured(prepared, caller, async () => {
      const scope = this.open(prepared, caller);
      try {
        const contextValue = await this.context(scope, caller);
        caller.signal.throwIfAborted();
        const opened = await openSource(this.argsOf(prepared, contextValue), caller);
        if (!(Symbol.asyncIterator in opened)) return await ended(scope, this.withoutSuggestions(opened));
        const source = opened[Symbol.asyncIterator]();
        const end = endOnce({ source, scope, signal: caller.signal });
        events = this.eventsOf(source, end, (event) => this.inScope(prepared, caller, event), caller.signal);
        return { data: null };
      } catch (error) {
        void scope.dispose();
        if (caller.signal.aborted) return aborted();
        throw error;
      }
    });
    return events ?? result;
  }

  /** Executes an operation, or with the root value one event of a subscription, in a scope of its own. */
  private inScope(prepared: Prepared, caller: Caller, rootValue?: unknown): Awaitable<ExecutionResult> {
    const scope = this.open(prepared, caller);
    return settled(
      () =>
        mapAwaitable(this.context(scope, caller), (contextValue) =>
          executeUntil(this.argsOf(prepared, contextValue, rootValue), caller),
        ),
      (result) => {
        void scope.dispose();
        return this.withoutSuggestions(result);
      },
      (error) => {
        void scope.dispose();
        if (caller.signal.aborted) return aborted();
        throw error;
      },
    );
  }

  private async *eventsOf(
    source: AsyncIterator<unknown>,
    end: () => void,
    execute: (event: unknown) => Awaitable<ExecutionResult>,
    signal: AbortSignal,
  ): Events {
    const { traffic } = this.parts;
    const next = (): Promise<IteratorResult<unknown>> => untilAborted(source.next(), signal);
    traffic.subscriptions++;
    try {
      for (let step = await next(); step.done !== true; step = await next()) yield await execute(step.value);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      traffic.subscriptions--;
      end();
    }
  }

  private open({ operation }: Prepared, caller: Caller): OpenScope {
    return this.parts.state.scope(new OperationInvocation(operation.operation, caller));
  }

  private context(scope: OpenScope, caller: Caller): Awaitable<GraphqlContext> {
    const { config, guardOptions } = this.parts;
    const context = createContext(caller.request, { scope, guardOptions });
    if (config.context === undefined) return context;
    const values = config.context(context);
    return isPromise(values)
      ? untilAborted(values, caller.signal).then((each) => addValues(context, each))
      : addValues(context, values);
  }

  private argsOf(
    { document, params }: Prepared,
    contextValue: GraphqlContext,
    rootValue?: unknown,
  ): ExecutionArgs {
    const { schema, config } = this.parts;
    return {
      schema,
      document,
      rootValue,
      contextValue,
      variableValues: params.variables ?? {},
      operationName: params.operationName ?? null,
      hideSuggestions: !config.introspection,
      options: { maxCoercionErrors: 10 },
    };
  }

  private withoutSuggestions(result: ExecutionResult): ExecutionResult {
    const { errors } = result;
    if (errors === undefined || this.parts.config.introspection) return result;
    return { ...result, errors: errors.map(withoutSuggestion) };
  }

  /** Publishes the operation, counts it and adds its duration to the result when `tracing` is on. */
  private measured(
    { operation }: Prepared,
    { request }: Caller,
    work: () => Awaitable<ExecutionResult>,
  ): Awaitable<ExecutionResult> {
    const { operations, traffic, config } = this.parts;
    const startedMs = performance.now();
    return settled(
      () => operations.run({ operation, request }, work),
      (result) => {
        const durationMs = performance.now() - startedMs;
        traffic.executed(operation.operation, result.errors === undefined, durationMs);
        if (!config.tracing || result.data === undefined) return result;
        return { ...result, extensions: { ...result.extensions, tracing: { durationMs } } };
      },
      (error) => {
        traffic.executed(operation.operation, false, performance.now() - startedMs);
        throw error;
      },
    );
  }
}

const aborted = (): ExecutionResult => ({ errors: [new GraphQLError("The operation was cancelled")] });

const ended = async (scope: OpenScope, result: ExecutionResult): Promise<ExecutionResult> => {
  await scope.dispose();
  return result;
};

/** A source and the scope of a subscription. */
interface Ending {
  readonly source: AsyncIterator<unknown>;
  readonly scope: OpenScope;
  readonly signal: AbortSignal;
}

/** Returns a function that closes the source and the scope once, and calls it on abort: events that graphql-ws never reads end too. */
const endOnce = ({ source, scope, signal }: Ending): (() => void) => {
  const end = (): void => {
    signal.removeEventListener("abort", end);
    if (isEnded) return;
    isEnded = true;
    // Not awaited: a generator that waits for its next event ends only after it, unless it uses `context.signal`.
    void close(source);
    void scope.dispose();
  };
  let isEnded = false;
  if (signal.aborted) end();
  else signal.addEventListener("abort", end);
  return end;
};

/** Ends the source of a subscription; its own failure to end concerns no client any more. */
const close = async (source: AsyncIterator<unknown>): Promise<void> => {
  try {
    await source.return?.();
  } catch {
    // the subscription is over
  }
};
