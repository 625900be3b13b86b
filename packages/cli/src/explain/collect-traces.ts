import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { RequestTrace } from "@framework/core/feature";

/** The channel on which core publishes the steps of requests. */
const CHANNEL = "framework.request.steps";

/** The trace of the last request of this process. */
export interface TraceCollector extends Disposable {
  readonly last: RequestTrace | null;
}

/** Subscribes to the steps of requests. The chains of an app are compiled with tracing only if a tool listens at its start, so call this before the app is created. */
export const collectTraces = (): TraceCollector => {
  let last: RequestTrace | null = null;
  const listen = (message: unknown): void => void (last = message as RequestTrace);
  subscribe(CHANNEL, listen);
  return {
    get last() {
      return last;
    },
    [Symbol.dispose]: () => void unsubscribe(CHANNEL, listen),
  };
};
