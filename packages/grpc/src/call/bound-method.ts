import type { Guard, Injections, Invocation } from "@framework/core";
import type { Authenticator } from "@framework/core/feature";
import type { GrpcMethod } from "../service/grpc-service.ts";
import type { AnyHandler } from "./implementation.ts";

/** A method with its handler and rules, as the endpoints serve it. */
export interface BoundMethod {
  readonly method: GrpcMethod;
  /** `books.v1.Catalog/GetBook`. */
  readonly name: string;
  readonly service: string;
  /** `null` for a method without a handler; its calls fail with UNIMPLEMENTED. */
  readonly handle: AnyHandler | null;
  /** Dependencies of the handler. */
  readonly inject: Injections | undefined;
  /** Whether the app's guards apply. */
  readonly usesAppGuards: boolean;
  /** Whether the app's limits and breakers skip its calls, as for the health service. */
  readonly isExempt: boolean;
  readonly auth: Authenticator | null;
  readonly guards: readonly Guard<Invocation>[];
  /** Maximum duration in milliseconds; 0 for no limit. */
  readonly limitMs: number;
}

/** Returns the deadline of a call in Unix milliseconds: the client's or the limit of its method, whichever is earlier; `null` if there is neither. */
export const deadlineOf = (
  clientDeadlineMs: number | null,
  { limitMs }: BoundMethod,
  nowMs: number,
): number | null => {
  const ownMs = limitMs === 0 ? Infinity : nowMs + limitMs;
  const deadlineMs = Math.min(clientDeadlineMs ?? Infinity, ownMs);
  return deadlineMs === Infinity ? null : deadlineMs;
};
