import type { Middleware } from "@framework/core";
import type { HostInsight, OperationControl, OperationDefinition } from "@framework/core/feature";
import { rpcAttributes } from "../call/call-operations.ts";
import { FailedCall } from "./call-sender.ts";
import type { OutgoingCall } from "./client-config.ts";

/** A call of a client as an operation of the kind `grpc`. */
const sentCall: OperationDefinition<OutgoingCall> = {
  kind: "grpc",
  role: "client",
  describe: ({ name }) => ({ name, attributes: rpcAttributes(name) }),
};

/** Returns a middleware that makes calls operations of an app, and sends the current trace with them. Metadata that the program has set stays. */
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
    const answer = control.within(() => {
      withTrace(call);
      return next(call);
    });
    return isIterable(answer) ? watched(answer, control) : settled(answer, control);
  };
};

const isIterable = (answer: unknown): answer is AsyncIterable<unknown> =>
  typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer;

const settled = async (answer: unknown, control: OperationControl): Promise<unknown> => {
  const value = await answer;
  if (isIterable(value)) return watched(value, control); // of another middleware
  if (value instanceof FailedCall) control.fail(value.error);
  control.end();
  return value;
};

/** A stream ends its operation with its last message, its error, or when its reader leaves. */
async function* watched(source: AsyncIterable<unknown>, control: OperationControl): AsyncGenerator<unknown> {
  try {
    yield* source;
  } catch (error) {
    control.fail(error);
    throw error;
  } finally {
    control.end();
  }
}
