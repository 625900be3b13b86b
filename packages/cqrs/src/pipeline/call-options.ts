import type { Invocation } from "@framework/core";
import { type Clock, createInvocation } from "@framework/core/feature";
import type { AnyOperation } from "../definitions/operation.ts";
import type { PlaceOf, RawInput } from "../definitions/valid-input.ts";
import type { HandlerRegistry } from "../handlers/handler-registry.ts";
import { Deadline } from "../time/deadline.ts";
import type { OperationCall } from "./operation-run.ts";

/** Options of one call of a command or query. */
export interface CallOptions {
  /** Work on whose behalf it is, such as a request: its principal and headers are those that guards and the handler see. @default none */
  readonly from?: Invocation;
  /** Whether the guards are skipped, for calls of the program on its own behalf. @default false */
  readonly skipGuards?: boolean;
  /** Tenant of the call. @default `CqrsConfig.tenantOf` */
  readonly tenant?: string;
  /** Gives the call up; a command is rolled back. It rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A call from code or over HTTP. */
export interface CallRequest extends CallOptions {
  /** Where members of the input come from. @default `input` */
  readonly placeOf?: PlaceOf;
  /** The members that are lists and may have come as a single value. @default none */
  readonly lists?: RawInput["lists"];
}

/** Parts that all calls of one kind share. */
export interface CallSources {
  readonly registry: HandlerRegistry;
  readonly clock: Clock;
  /** Time limit of operations without one of their own. */
  readonly timeoutMs: number;
  readonly tenantOf: (invocation: Invocation) => string;
}

/** Prepares a call. @param timedOut creates the error of one that took too long @throws CQRS_NO_HANDLER */
export const newCall = <O extends AnyOperation>(
  { registry, clock, timeoutMs: defaultMs, tenantOf }: CallSources,
  operation: O,
  raw: unknown,
  { from, skipGuards: isAllowed = false, tenant, signal, placeOf = inInput, lists = noLists }: CallRequest,
  timedOut: (timeoutMs: number) => Error,
): OperationCall<O> => {
  const handled = registry.of(operation);
  const timeoutMs = operation.timeoutMs ?? defaultMs;
  const deadline = new Deadline(clock, timeoutMs, () => timedOut(timeoutMs), signal);
  const invocation = invocationOf(operation, from, deadline.signal);
  return {
    handled,
    raw,
    placeOf,
    lists,
    invocation,
    tenant: tenant ?? tenantOf(invocation),
    isAllowed,
    deadline,
  };
};

/** Creates the invocation of a call, with headers and context of the work that it is for. */
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

const inInput: PlaceOf = () => "input";
const noLists: RawInput["lists"] = { isEmpty: true, has: () => false };
