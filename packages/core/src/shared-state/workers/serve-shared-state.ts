import { FrameworkError } from "../../errors/framework-error.ts";
import { type Awaitable, mapAwaitable } from "../../middleware/middleware.ts";
import { Deliveries } from "./deliveries.ts";
import { HeldLeases } from "./held-leases.ts";
import {
  isStateMessage,
  type PrimaryHub,
  type PrimaryLink,
  type PrimaryMessage,
  type StateCall,
  type StateResults,
  type WorkerMessage,
} from "./primary-link.ts";
import type { SharedState } from "../shared-state.ts";
import { UNAVAILABLE } from "../unavailable-error.ts";
import type { Json } from "../values/shared-values.ts";

/** Bounds of `serveSharedState`. */
export interface ServeSharedStateOptions {
  /** Maximum number of unacknowledged messages of one worker; at this bound, the worker gets no further messages. @default 10000 */
  readonly maxUnacknowledged?: number;
  /** Called once when a worker reaches the bound: it misses further messages and should be replaced. */
  readonly onStuck?: (link: PrimaryLink) => void;
}

/**
 * Serves the primary's `inProcessState({ timeoutMs: Infinity, maxSubscriptions: Infinity })` to every worker and forwards published messages to subscribed
 * workers: a publication waits for each worker until it has acknowledged the message or has exited. The leases of a worker that exits count as used.
 *
 * Returns a function that stops serving.
 */
export const serveSharedState = (
  state: SharedState,
  hub: PrimaryHub,
  options: ServeSharedStateOptions = {},
): (() => void) => {
  const ends = new Set<() => void>();
  const stop = hub.onWorker((link) => {
    const end = serveWorker(state, link, options);
    ends.add(end);
    link.onClose(() => {
      ends.delete(end);
      end();
    });
  });
  return () => {
    stop();
    for (const end of ends) end();
    ends.clear();
  };
};

const serveWorker = (
  state: SharedState,
  link: PrimaryLink,
  { maxUnacknowledged = 10_000, onStuck }: ServeSharedStateOptions,
): (() => void) => {
  const subscribed = new Map<string, () => void>();
  const deliveries = new Deliveries(link, {
    maxUnacknowledged,
    onStuck: () => onStuck?.(link),
  });
  const leases = new HeldLeases(state.permits);
  const served: SharedState = { ...state, permits: leases.tracked };
  const stop = link.onMessage((message) => {
    if (!isStateMessage(message)) return;
    const received = message as WorkerMessage;
    if (received.type === "call")
      serveCall(served, received.id, received.call, (reply) => deliveries.send(reply));
    else if (received.type === "received") deliveries.acknowledge(received.id);
    else if (received.type === "subscribe") {
      const { channel } = received;
      if (subscribed.has(channel)) return;
      const unsubscribe = state.values.subscribe(channel, (text) =>
        deliveries.deliver(channel, JSON.stringify(text)),
      );
      subscribed.set(channel, unsubscribe);
    } else if (received.type === "unsubscribe") {
      subscribed.get(received.channel)?.();
      subscribed.delete(received.channel);
    }
  });
  return () => {
    stop();
    for (const unsubscribe of subscribed.values()) unsubscribe();
    subscribed.clear();
    deliveries.close();
    leases.end();
  };
};

type Reply = (message: PrimaryMessage) => void;

const serveCall = (state: SharedState, id: number, call: StateCall, reply: Reply): void => {
  const succeed = (result: StateResults[keyof StateResults]): void =>
    reply({ "@framework": "shared-state", type: "result", id, result });
  const fail = (error: unknown): void => {
    const [code, message] = FrameworkError.is(error)
      ? [error.code, error.message]
      : [UNAVAILABLE, "the primary process failed"];
    reply({ "@framework": "shared-state", type: "failure", id, code, message });
  };
  new Promise<StateResults[keyof StateResults]>((resolve) => {
    resolve(perform(state, call));
  }).then(succeed, fail);
};

const perform = (state: SharedState, call: StateCall): Awaitable<StateResults[keyof StateResults]> => {
  switch (call.op) {
    case "add":
      return state.values.add(call.key, call.amount, call);
    case "raise":
      return state.values.raise(call.key, call.value, call);
    case "get":
      return mapAwaitable(state.values.get(call.key), (value) =>
        value === undefined ? null : JSON.stringify(value),
      );
    case "set":
      return state.values.set(call.key, JSON.parse(call.text) as Json, call);
    case "take":
      return state.permits.take(call.key, call, call);
    case "addTotals":
      return mapAwaitable(state.totals.add(call.key, call.amounts), () => null);
    case "readTotals":
      return state.totals.read(call.key, call.from);
    case "delete":
      return state.values.delete(call.key);
    case "publish":
      return state.values.publish(call.channel, JSON.parse(call.text) as Json).then(() => null);
    default:
      throw new FrameworkError(UNAVAILABLE, "the primary process runs another version of the program");
  }
};
