import { setTimeout as pause } from "node:timers/promises";
import { get } from "../client/call.ts";
import { Peer } from "../soak/peer.ts";

/** Latency of healthy clients. */
export interface Latency {
  readonly requests: number;
  readonly failed: number;
  /** Milliseconds. */
  readonly median: number;
  readonly p99: number;
  readonly longest: number;
}

/** Requests of clients that open a new connection for every twentieth, until stopped. */
export const measureLatency = (port: number, clients: number, thinkMs: number): (() => Promise<Latency>) => {
  const waits: number[] = [];
  let failed = 0;
  let ends = false;
  const client = async (index: number): Promise<void> => {
    await pause((index / clients) * thinkMs); // spreads their requests over the time
    while (!ends) {
      const peer = new Peer(port);
      for (let count = 1; count <= 20 && !ends; count++) {
        const began = performance.now();
        peer.received = "";
        peer.send(get("/books"));
        const ended = await peer.until((received) => received.endsWith("}"), 60_000);
        waits.push(performance.now() - began);
        if (ended !== "enough" || !peer.received.startsWith("HTTP/1.1 200 ")) {
          failed++;
          break;
        }
        await pause(thinkMs);
      }
      peer.close();
    }
  };
  const all = Promise.all(Array.from({ length: clients }, (_unused, index) => client(index)));
  return async () => {
    ends = true;
    await all;
    const sorted = waits.toSorted((a, b) => a - b);
    const at = (share: number): number =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
    return { requests: waits.length, failed, median: at(0.5), p99: at(0.99), longest: at(1) };
  };
};

/** Median, 99th percentile and maximum in one cell. */
export const inWords = ({ median, p99, longest }: Latency): string =>
  `${median.toFixed(1)} / ${p99.toFixed(1)} / ${longest.toFixed(0)}`;
