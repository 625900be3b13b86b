import type { Middleware } from "@framework/core";
import type { Attributes, HostInsight, OperationControl, OperationDefinition } from "@framework/core/feature";
import { rpcAttributes } from "../call/call-operations.ts";
import { GrpcError } from "../status/grpc-error.ts";
import { GrpcStatus } from "../status/grpc-status.ts";
import { FailedCall } from "./call-sender.ts";
import type { OutgoingCall } from "./client-config.ts";

/** A call of a client as an operation of the kind `grpc`. */
const sentCall: OperationDefinition<OutgoingCall> = {
  kind: "grpc",
  role: "client",
  describe: ({ name }) => ({ name, attributes: rpcAttributes(name) }),
};

/** Returns middleware that records each call as an operation of the app and sends the current trace. Metadata that is already set takes precedence. */
export const appCalls = (
  insight: Pick<HostInsight, "operation" | "currentTrace">,
): Middleware<OutgoingCall, unknown> => {
  const calls = insight.operation(sentCall);
  const addTrace = ({ metadata }: OutgoingCall): void => {
    for (const [name, value] of Object.entries(insight.currentTrace()?.headers() ?? {}))
      if (!metadata.has(name)) metadata.set(name, value);
  };
  return (call, next) => {
    const control = calls.begin(call);
    if (control === null) {
      addTrace(call);
      return next(call);
    }
    const response = control.within(() => {
      addTrace(call);
      return next(call);
    });
    return isAsyncIterable(response) ? endWithStream(response, control) : endWithResponse(response, control);
  };
};

const isAsyncIterable = (response: unknown): response is AsyncIterable<unknown> =>
  typeof response === "object" && response !== null && Symbol.asyncIterator in response;

const endWithResponse = async (response: unknown, control: OperationControl): Promise<unknown> => {
  const value = await response;
  if (isAsyncIterable(value)) return endWithStream(value, control); // other middleware may return a promise of a stream
  const failed = value instanceof FailedCall ? value.error : null;
  if (failed !== null) control.fail(failed);
  control.end(statusAttributes(failed?.statusCode ?? GrpcStatus.OK));
  return value;
};

/** Passes the messages on, and ends the operation after the last one, on an error, or when the reader stops. */
async function* endWithStream(
  source: AsyncIterable<unknown>,
  control: OperationControl,
): AsyncGenerator<unknown> {
  let status: number = GrpcStatus.CANCELLED; // if the reader stops
  try {
    yield* source;
    status = GrpcStatus.OK;
  } catch (error) {
    status = GrpcError.is(error) ? error.statusCode : GrpcStatus.UNKNOWN;
    control.fail(error);
    throw error;
  } finally {
    control.end(statusAttributes(status));
  }
}

const statusAttributes = (code: number): Attributes => ({ "rpc.grpc.status_code": code });
