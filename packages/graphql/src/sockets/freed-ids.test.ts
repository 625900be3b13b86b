import { setImmediate as nextTurn } from "node:timers/promises";
import type { HttpRequest } from "@framework/core";
import type { ServerSocket } from "@framework/websocket";
import { expect, test } from "@jest/globals";
import { parse } from "graphql";
import type { OperationParams } from "../documents/documents.ts";
import type { Caller } from "../execution/caller.ts";
import { init, subscribe } from "./served-library.test-kit.ts";
import { PROTOCOL, SocketEndpoint, type SocketEndpointParts } from "./socket-endpoint.ts";

interface Sent {
  readonly id?: string;
  readonly type: string;
}

/** The messages of one connection, and the signals of its subscriptions. */
interface Outcome {
  readonly sent: readonly Sent[];
  readonly signals: readonly AbortSignal[];
}

async function* failing(): AsyncGenerator<object> {
  yield { data: { fails: 1 } };
  throw new Error("a fault");
}

async function* waiting(signal: AbortSignal): AsyncGenerator<object> {
  yield { data: { waits: 1 } };
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
}

/** Creates an endpoint whose subscription `fails` fails after an event; all others wait until they are aborted. */
const createEndpoint = (signals: AbortSignal[]): SocketEndpoint =>
  new SocketEndpoint({
    config: { initSecs: 60, maxSubscriptions: 1, connect: undefined, incremental: false },
    documents: {
      prepare: (params: OperationParams) => ({ document: parse(params.query as string), params }),
    },
    executor: {
      execute: () => ({ data: { now: 7 } }),
      subscribe: async ({ params }: { params: OperationParams }, { signal }: Caller) => {
        if (params.query?.includes("fails") === true) return failing();
        signals.push(signal);
        return waiting(signal);
      },
    },
    present: (error: unknown) => error,
    admit: () => undefined,
  } as unknown as SocketEndpointParts);

/** Serves a client that reuses the id of its first operation after a number of ticks, without waiting for its end. */
const reuseId = async (first: string, ticks: number): Promise<Outcome> => {
  const signals: AbortSignal[] = [];
  const sent: Sent[] = [];
  const ender = new AbortController();
  const message = (value: object): object => ({ isBinary: false, text: JSON.stringify(value) });
  const socket = {
    protocol: PROTOCOL,
    connected: true,
    signal: ender.signal,
    sendText: async (text: string) => void sent.push(JSON.parse(text)),
    close: async (code: number) => void sent.push({ type: `closed with ${code}` }),
    async *[Symbol.asyncIterator]() {
      yield message(init);
      await nextTurn();
      yield message(subscribe("1", first));
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      yield message(subscribe("1", "subscription { waits }"));
      await nextTurn();
      yield message(subscribe("2", "{ now }"));
      await nextTurn();
      ender.abort();
    },
  };
  await createEndpoint(signals).serve(socket as unknown as ServerSocket, {} as HttpRequest);
  return { sent, signals };
};

// The number of ticks that an operation takes depends on the releases of graphql and graphql-ws, so a range is tried.
test.each(["{ now }", "subscription { fails }"])(
  "a subscription that reuses the id of the ending operation %s is aborted and counted like any other",
  async (first) => {
    const wasFree: boolean[] = [];
    for (let ticks = 0; ticks < 100; ticks++) {
      const { sent, signals } = await reuseId(first, ticks);
      const isRefused = sent.some(({ type }) => type === "closed with 4409");
      wasFree.push(!isRefused);
      if (isRefused) continue;
      expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
      expect(sent.filter(({ id }) => id === "2").map(({ type }) => type)).toEqual(["error"]);
    }
    expect(wasFree).toContain(false);
    expect(wasFree.at(-1)).toBe(true);
  },
);
