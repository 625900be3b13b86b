import type { Invocation } from "@framework/core";
import { type Clock, createInvocation } from "@framework/core/feature";
import type { AnyOperation } from "../definitions/operation.ts";
import type { SourceOf, RawInput } from "../definitions/valid-input.ts";
import type { HandlerRegistry } from "../handlers/handler-registry.ts";
import { Deadline } from "../time/deadline.ts";
import type { OperationCall } from "./operation-run.ts";

/** Options of one call of a command or query. */
export interface CallOptions {
  /** Invocation on whose behalf the call is made, such as a request: guards and the handler get its principal and headers. @default none */
  readonly from?: Invocation;
  /** Whether to skip the guards, for calls that the program makes on its own behalf. @default false */
  readonly skipGuards?: boolean;
  /** Tenant of the call. @default `CqrsConfig.tenantOf` */
  readonly tenant?: string;
  /** Cancels the call, which rejects with the signal's reason; a command is rolled back. */
  readonly signal?: AbortSignal;
}

/** A call from code or over HTTP. */
export interface CallRequest extends CallOptions {
  /** Returns the source of a member of the input. @default `input` */
  readonly sourceOf?: SourceOf;
  /** Members that are lists, and may be given as a single value. @default none */
  readonly lists?: RawInput["lists"];
}

/** Dependencies shared by all calls of one kind. */
export interface CallSources {
  readonly registry: HandlerRegistry;
  readonly clock: Clock;
  /** Default time limit of operations. */
  readonly timeoutMs: number;
  readonly tenantOf: (invocation: Invocation) => string;
}

/** Prepares a call. @param timeoutError creates the error of a call that exceeds its time limit @throws CQRS_NO_HANDLER; errors of `tenantOf` */
export const newCall = <O extends AnyOperation>(
  { registry, clock, timeoutMs: defaultMs, tenantOf }: CallSources,
  operation: O,
  raw: unknown,
  { from, skipGuards = false, tenant, signal, sourceOf = inInput, lists = noLists }: CallRequest,
  timeoutError: (timeoutMs: number) => Error,
): OperationCall<O> => {
  const handled = registry.of(operation);
  const timeoutMs = operation.timeoutMs ?? defaultMs;
  const deadline = new Deadline(clock, timeoutMs, () => timeoutError(timeoutMs), signal);
  const invocation = invocationOf(operation, from, deadline.signal);
  return {
    handled,
    raw,
    sourceOf,
    lists,
    invocation,
    tenant: tenant ?? tenantOf(invocation),
    skipGuards,
    deadline,
  };
};

/** Creates the invocation of a call, with headers, context and parameters of `from`. */
export const invocationOf = (
  { kind, name }: AnyOperation,
  from: Invocation | undefined,
  signal: AbortSignal,
): Invocation =>
  createInvocation({
    kind,
    name,
    signal,
    ...(from !== undefined && { headers: from.headers, context: from.context, params: from.params }),
  });

const inInput: SourceOf = () => "input";
const noLists: RawInput["lists"] = { isEmpty: true, has: () => false };
