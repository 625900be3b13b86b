import { once } from "node:events";
import type { ConfigInput } from "@framework/core/feature";
import { waitFor } from "@framework/testing";
import { afterEach, expect } from "@jest/globals";
import { WebSocket } from "ws";
import type { GraphQLConfig } from "../index.ts";
import { type Library, library } from "../library.test-kit.ts";

/** A client of the protocol graphql-transport-ws. */
export interface Peer {
  readonly messages: Record<string, unknown>[];
  readonly closed: Promise<number>;
  /** Sent bytes that are not yet in the kernel's socket buffer (`bufferedAmount`). */
  readonly unsentBytes: number;
  send(message: unknown): void;
  close(): void;
  /** Stops reading. */
  pause(): void;
  resume(): void;
}

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});

/** Serves the library on a port until the end of the test. */
export const serve = async (
  config: ConfigInput<GraphQLConfig> = {},
): Promise<Library & { open(protocol?: string): Promise<Peer>; stop(): Promise<void> }> => {
  const parts = library(config);
  const running = await parts.app.run({ port: 0, logs: false, argv: [], exitOnError: false, debug: false });
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= running.close());
  cleanups.push(stop);
  const url = `${running.url.replace(/\/$/, "").replace("http", "ws")}/graphql`;
  return {
    ...parts,
    stop,
    async open(protocol = "graphql-transport-ws") {
      const client = new WebSocket(url, protocol === "" ? [] : [protocol]);
      cleanups.push(() => client.terminate());
      const messages: Record<string, unknown>[] = [];
      client.on("message", (data: Buffer) => messages.push(JSON.parse(data.toString())));
      const closed = once(client, "close").then(([code]) => code as number);
      await once(client, "open");
      return {
        messages,
        closed,
        get unsentBytes() {
          return client.bufferedAmount;
        },
        send: (message) =>
          client.send(
            typeof message === "object" && !Buffer.isBuffer(message)
              ? JSON.stringify(message)
              : (message as string),
          ),
        close: () => client.close(),
        pause: () => client.pause(),
        resume: () => client.resume(),
      };
    },
  };
};

/** The first message of a client. */
export const init: object = { type: "connection_init" };

export const subscribe = (id: string, query: string): object => ({
  type: "subscribe",
  id,
  payload: { query },
});

/** Sends `connection_init` and waits for the acknowledgement. */
export const ready = async (peer: Peer): Promise<Peer> => {
  peer.send(init);
  await waitFor(() => peer.messages.length === 1);
  expect(peer.messages.shift()).toEqual({ type: "connection_ack" });
  return peer;
};
