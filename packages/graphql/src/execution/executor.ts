import type { Awaitable, GuardOptions, HttpRequest } from "@framework/core";
import {
  createInvocation,
  type HostState,
  isPromise,
  type OpenScope,
  type Operations,
} from "@framework/core/feature";
import {
  createSourceEventStream,
  execute,
  type ExecutionArgs,
  type ExecutionResult,
  executeSubscriptionEvent,
  GraphQLError,
  type GraphQLSchema,
  mapSourceToResponseEvent,
  validateSubscriptionArgs,
} from "graphql";
import type { Prepared } from "../documents/documents.ts";
import { addValues, createContext } from "../context/create-context.ts";
import type { GraphqlContext } from "../context/graphql-context.ts";
import type { StartedOperation } from "./graphql-operations.ts";
import type { Traffic } from "./traffic.ts";
import { untilAborted } from "./until-aborted.ts";

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

/** Where an operation comes from, and the end of interest in its result. */
export interface Caller {
  readonly request: HttpRequest;
  readonly signal: AbortSignal;
}

/** The results of a subscription. */
export type Events = AsyncGenerator<ExecutionResult, void, void>;

/** Executes prepared operations: each in its own scope, with its own loaders, as an operation of the app. */
export class Executor {
  private readonly parts: ExecutorParts;

  constructor(parts: ExecutorParts) {
    this.parts = parts;
  }

  /** Executes a query or a mutation. Rejects only for faults outside of resolvers, such as a failing `context`. */
  async execute(prepared: Prepared, caller: Caller): Promise<ExecutionResult> {
    return await this.measured(prepared, caller, async () => {
      const scope = this.open(prepared, caller);
      try {
        return await execute(this.argsOf(prepared, caller, await this.context(scope, caller)));
      } catch (error) {
        if (caller.signal.aborted) return aborted();
        throw error;
      } finally {
        void scope.dispose();
      }
    });
  }

  /** Begins a subscription. Each of its events is executed in a scope of its own. */
  async subscribe(prepared: Prepared, caller: Caller): Promise<Events | ExecutionResult> {
    let events: Events | null = null;
    const result = await this.measured(prepared, caller, async () => {
      const scope = this.open(prepared, caller);
      try {
        const args = validateSubscriptionArgs(
          this.argsOf(prepared, caller, await this.context(scope, caller)),
        );
        if (!("schema" in args)) return await ended(scope, { errors: args });
        const stream = await createSourceEventStream(args);
        if (!(Symbol.asyncIterator in stream)) return await ended(scope, stream);
        const source = stream[Symbol.asyncIterator]();
        const once = { [Symbol.asyncIterator]: () => source };
        const results = mapSourceToResponseEvent(args, once, (event) => this.event(prepared, caller, event));
        events = this.eventsOf(results, endOnce({ source, scope, signal: caller.signal }), caller.signal);
        return { data: null };
      } catch (error) {
        void scope.dispose();
        if (caller.signal.aborted) return aborted();
        throw error;
      }
    });
    return events ?? result;
  }

  private async event(
    prepared: Prepared,
    caller: Caller,
    args: Parameters<typeof executeSubscriptionEvent>[0],
  ): Promise<ExecutionResult> {
    const scope = this.open(prepared, caller);
    try {
      return await executeSubscriptionEvent({ ...args, contextValue: await this.context(scope, caller) });
    } finally {
      void scope.dispose();
    }
  }

  private async *eventsOf(results: Events, end: () => void, signal: AbortSignal): Events {
    const { traffic } = this.parts;
    traffic.subscriptions++;
    try {
      for (let step = await results.next(); step.done !== true; step = await results.next()) yield step.value;
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      traffic.subscriptions--;
      end();
    }
  }

  private open({ operation }: Prepared, { request, signal }: Caller): OpenScope {
    const { headers, context } = request;
    return this.parts.state.scope(
      createInvocation({ kind: "graphql", name: operation.operation, headers, context, signal }),
    );
  }

  private context(scope: OpenScope, { request, signal }: Caller): Awaitable<GraphqlContext> {
    const { config, guardOptions } = this.parts;
    const context = createContext(request, { scope, guardOptions });
    if (config.context === undefined) return context;
    const values = config.context(context);
    return isPromise(values)
      ? untilAborted(values, signal).then((each) => addValues(context, each))
      : addValues(context, values);
  }

  private argsOf(
    { document, params }: Prepared,
    { signal }: Caller,
    contextValue: GraphqlContext,
  ): ExecutionArgs {
    const { schema, config } = this.parts;
    return {
      schema,
      document,
      contextValue,
      variableValues: params.variables ?? {},
      operationName: params.operationName ?? null,
      hideSuggestions: !config.introspection,
      abortSignal: signal,
      options: { maxCoercionErrors: 10 },
    };
  }

  /** Publishes the operation, counts it and adds its duration to the result when `tracing` is on. */
  private async measured(
    { operation }: Prepared,
    { request }: Caller,
    work: () => Promise<ExecutionResult>,
  ): Promise<ExecutionResult> {
    const { operations, traffic, config } = this.parts;
    const startedMs = performance.now();
    let isOk = false;
    let durationMs: number;
    let result: ExecutionResult;
    try {
      result = await operations.run({ operation, request }, work);
      isOk = result.errors === undefined;
    } finally {
      durationMs = performance.now() - startedMs;
      traffic.executed(operation.operation, isOk, durationMs);
    }
    if (!config.tracing || result.data === undefined) return result;
    return { ...result, extensions: { ...result.extensions, tracing: { durationMs } } };
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
