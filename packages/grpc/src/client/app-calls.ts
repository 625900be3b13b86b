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

/** Returns middleware that records each call as an operation of the app and sends the current trace. Metadata that the program has set takes precedence. */
export const appCalls = (
  insight: Pick<HostInsight, "operation" | "currentTrace">,
): Middleware<OutgoingCall, unknown> => {
  const calls = insight.operation(sentCall);
  const withTrace = ({ metadata }: OutgoingCall): void => {
    for (const [name, value] of Object.entries(insight.currentTrace()?.headers() ?? {}))
      if (!metadata.has(name)) metadata.set(name, value);
  };
  return (call, next) => {
    const control = calls.begin(call);
    if (control === null) {
      withTrace(call);
      return next(call);
    }
    const response = control.within(() => {
      withTrace(call);
      return next(call);
    });
    return isIterable(response) ? watched(response, control) : settled(response, control);
  };
};

const isIterable = (response: unknown): response is AsyncIterable<unknown> =>
  typeof response === "object" && response !== null && Symbol.asyncIterator in response;

const settled = async (response: unknown, control: OperationControl): Promise<unknown> => {
  const value = await response;
  if (isIterable(value)) return watched(value, control); // other middleware may return a promise of a stream
  const failed = value instanceof FailedCall ? value.error : null;
  if (failed !== null) control.fail(failed);
  control.end(withStatus(failed?.statusCode ?? GrpcStatus.OK));
  return value;
};

/** Ends the operation after the last message, with an error, or when the reader stops. */
async function* watched(source: AsyncIterable<unknown>, control: OperationControl): AsyncGenerator<unknown> {
  let status: number = GrpcStatus.CANCELLED; // if the reader stops
  try {
    yield* source;
    status = GrpcStatus.OK;
  } catch (error) {
    status = GrpcError.is(error) ? error.statusCode : GrpcStatus.UNKNOWN;
    control.fail(error);
    throw error;
  } finally {
    control.end(withStatus(status));
  }
}

const withStatus = (code: number): Attributes => ({ "rpc.grpc.status_code": code });
