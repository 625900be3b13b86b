import type { Awaitable, GuardOptions } from "@framework/core";
import { type HostState, isPromise, mapAwaitable, type Operations } from "@framework/core/feature";
import { type ExecutionArgs, type ExecutionResult, GraphQLError, type GraphQLSchema } from "graphql";
import type { PreparedOperation } from "../documents/documents.ts";
import { maxErrorsOf } from "../documents/max-errors.ts";
import { addValues, createContext } from "../context/create-context.ts";
import type { GraphqlContext } from "../context/graphql-context.ts";
import { OperationScope } from "../context/operation-scope.ts";
import {
  executeInOnePart,
  executeInParts,
  type PartFormat,
  type ResultPart,
} from "../graphql-js/in-parts.ts";
import { executeUntil, openSource, withoutSuggestion } from "../graphql-js/versions.ts";
import { resolveMember } from "../schema/resolve-member.ts";
import { markRejection } from "../schema/resolver-errors.ts";
import type { Caller } from "./caller.ts";
import type { OperationToExecute } from "./graphql-operations.ts";
import { endOnce } from "./end-once.ts";
import { followParts } from "./follow-parts.ts";
import { OperationInvocation } from "./operation-invocation.ts";
import { normalizeError } from "../graphql-js/normalize-error.ts";
import { mapOutcome } from "./map-outcome.ts";
import type { Traffic } from "./traffic.ts";
import { untilAborted } from "../graphql-js/until-aborted.ts";

/** Options of execution, with `introspection` resolved. */
export interface ExecutionOptions {
  readonly introspection: boolean;
  readonly tracing: boolean;
  /** Whether the schema has `@defer` and `@stream`. */
  readonly incremental: boolean;
  readonly context: ((base: GraphqlContext) => Awaitable<object>) | undefined;
}

/** Dependencies of an executor. */
export interface ExecutorParts {
  readonly schema: GraphQLSchema;
  readonly config: ExecutionOptions;
  readonly state: Pick<HostState, "scope">;
  readonly operations: Operations<OperationToExecute, ExecutionResult>;
  readonly traffic: Traffic;
  readonly guardOptions: GuardOptions;
}

/** The results of a subscription. */
export type Events = AsyncGenerator<ExecutionResult, void, void>;

/** A result that is delivered in parts: the first part, then the other parts in order. */
export interface DeliveredParts {
  readonly first: ResultPart;
  readonly others: AsyncIterableIterator<ResultPart>;
}

/** Executes prepared operations, each in its own scope with its own loaders, and publishes them as operations of the app. */
export class Executor {
  private readonly parts: ExecutorParts;
  private readonly executeWhole: typeof executeUntil;

  constructor(parts: ExecutorParts) {
    this.parts = parts;
    this.executeWhole = parts.config.incremental ? executeInOnePart : executeUntil;
  }

  /**
   * Executes a query or a mutation; synchronously if all its resolvers are synchronous. Throws or rejects only for errors outside of resolvers, such as errors
   * of `context`.
   */
  execute(prepared: PreparedOperation, caller: Caller): Awaitable<ExecutionResult> {
    return this.record(prepared, caller, () => this.inScope(prepared, caller));
  }

  /**
   * Executes a query or a mutation for a client that accepts its result in parts. With several parts, the operation ends with the last part, or when the
   * client stops reading them.
   */
  executeInParts(
    prepared: PreparedOperation,
    caller: Caller,
    format: PartFormat,
  ): Promise<ExecutionResult | DeliveredParts> {
    return new Promise((deliver, fail) => {
      const whole = this.record(prepared, caller, async () => {
        const scope = this.openScope(prepared, caller);
        try {
          const contextValue = await this.context(scope, caller);
          const result = await executeInParts(this.argsOf(prepared, contextValue), caller, format);
          if (!("initialResult" in result)) return this.withoutSuggestions(result);
          const { others, ended } = followParts(result, caller.signal);
          deliver({ first: result.initialResult, others });
          return await ended;
        } catch (error) {
          if (caller.signal.aborted) return cancelledResult();
          throw error;
        } finally {
          scope.end();
        }
      });
      void Promise.resolve(whole).then(deliver, fail); // without effect if parts were delivered
    });
  }

  /** Starts a subscription. Each event is executed in its own scope. */
  async subscribe(prepared: PreparedOperation, caller: Caller): Promise<Events | ExecutionResult> {
    let events: Events | null = null;
    const result = await this.record(prepared, caller, async () => {
      const scope = this.openScope(prepared, caller);
      try {
        const contextValue = await this.context(scope, caller);
        caller.signal.throwIfAborted();
        const opened = await openSource(this.argsOf(prepared, contextValue), caller);
        if (!(Symbol.asyncIterator in opened)) {
          scope.end();
          return this.withoutSuggestions(opened);
        }
        const source = opened[Symbol.asyncIterator]();
        const end = endOnce({ source, scope, signal: caller.signal });
        events = this.eventsOf(source, end, (event) => this.inScope(prepared, caller, event), caller.signal);
        return { data: null };
      } catch (error) {
        scope.end();
        if (caller.signal.aborted) return cancelledResult();
        throw error;
      }
    });
    return events ?? result;
  }

  /** Executes an operation, or one event of a subscription with the event as root value, in its own scope. */
  private inScope(
    prepared: PreparedOperation,
    caller: Caller,
    rootValue?: unknown,
  ): Awaitable<ExecutionResult> {
    const scope = this.openScope(prepared, caller);
    return mapOutcome(
      () =>
        mapAwaitable(this.context(scope, caller), (contextValue) =>
          this.executeWhole(this.argsOf(prepared, contextValue, rootValue), caller),
        ),
      (result) => {
        scope.end();
        return this.withoutSuggestions(result);
      },
      (error) => {
        scope.end();
        if (caller.signal.aborted) return cancelledResult();
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
    const read = async (): Promise<IteratorResult<unknown>> => source.next(); // which may also throw, or return a step without a promise
    const next = (): Promise<IteratorResult<unknown>> => {
      const step = read();
      markRejection(step); // a GraphQLError of the source is shown to the client
      return untilAborted(step, signal);
    };
    traffic.subscriptions++;
    try {
      for (let step = await next(); step.done !== true; step = await next()) yield await execute(step.value);
    } catch (error) {
      if (!signal.aborted) throw normalizeError(error);
    } finally {
      traffic.subscriptions--;
      end();
    }
  }

  private openScope({ operation }: PreparedOperation, caller: Caller): OperationScope {
    const { state, guardOptions } = this.parts;
    return new OperationScope(state, new OperationInvocation(operation.operation, caller), guardOptions);
  }

  private context(scope: OperationScope, caller: Caller): Awaitable<GraphqlContext> {
    const { context: valuesOf } = this.parts.config;
    const context = createContext(caller.request, scope);
    if (valuesOf === undefined) return context;
    const values = valuesOf(context);
    return isPromise(values)
      ? untilAborted(values, caller.signal).then((each) => addValues(context, each))
      : addValues(context, values);
  }

  private argsOf(
    { document, params }: PreparedOperation,
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
      fieldResolver: resolveMember,
      hideSuggestions: !config.introspection,
      options: { maxCoercionErrors: maxErrorsOf(document) },
    };
  }

  private withoutSuggestions(result: ExecutionResult): ExecutionResult {
    const { errors } = result;
    if (errors === undefined || this.parts.config.introspection) return result;
    return { ...result, errors: errors.map(withoutSuggestion) };
  }

  /** Publishes the operation, counts it and adds its duration to the result if `tracing` is enabled. */
  private record(
    { operation }: PreparedOperation,
    { request }: Caller,
    work: () => Awaitable<ExecutionResult>,
  ): Awaitable<ExecutionResult> {
    const { operations, traffic, config } = this.parts;
    const type = operation.operation;
    const isTimed = config.tracing || traffic.isTimed;
    const startedMs = isTimed ? performance.now() : 0;
    const elapsedMs = (): number => (isTimed ? performance.now() - startedMs : 0);
    return mapOutcome(
      () => operations.run({ operation, request }, work),
      (result) => {
        const durationMs = elapsedMs();
        traffic.recordExecution(type, result.errors === undefined, durationMs);
        if (!config.tracing || result.data === undefined) return result;
        return { ...result, extensions: { ...result.extensions, tracing: { durationMs } } };
      },
      (error) => {
        traffic.recordExecution(type, false, elapsedMs());
        throw error;
      },
    );
  }
}

const cancelledResult = (): ExecutionResult => ({
  errors: [new GraphQLError("The operation was cancelled")],
});
