import { setTimeout as pause } from "node:timers/promises";
import { get } from "../client/call.ts";
import { Peer } from "../soak/peer.ts";

/** Latency of well-behaved clients. */
export interface Latency {
  readonly requests: number;
  /** Connections that the clients opened. */
  readonly connections: number;
  readonly failed: number;
  /** Milliseconds. */
  readonly median: number;
  readonly p99: number;
  readonly maximum: number;
}

/** Starts clients that open a new connection for every 20 requests; the returned function stops them and returns the latency. */
export const measureLatency = (port: number, clients: number, pauseMs: number): (() => Promise<Latency>) => {
  const latencies: number[] = [];
  let [connections, failed] = [0, 0];
  let ends = false;
  const client = async (index: number): Promise<void> => {
    await pause((index / clients) * pauseMs); // spreads the requests evenly
    while (!ends) {
      const peer = new Peer(port);
      connections++;
      for (let count = 1; count <= 20 && !ends; count++) {
        const startedAt = performance.now();
        peer.received = "";
        peer.send(get("/books"));
        const ended = await peer.until((received) => received.endsWith("}"), 60_000);
        latencies.push(performance.now() - startedAt);
        if (ended !== "done" || !peer.received.startsWith("HTTP/1.1 200 ")) {
          failed++;
          break;
        }
        await pause(pauseMs);
      }
      peer.close();
    }
  };
  const all = Promise.all(Array.from({ length: clients }, (_unused, index) => client(index)));
  return async () => {
    ends = true;
    await all;
    const sorted = latencies.toSorted((a, b) => a - b);
    const at = (share: number): number =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
    return {
      requests: latencies.length,
      connections,
      failed,
      median: at(0.5),
      p99: at(0.99),
      maximum: at(1),
    };
  };
};

/** Formats median, 99th percentile and maximum as one table cell. */
export const formatLatency = ({ median, p99, maximum }: Latency): string =>
  `${median.toFixed(1)} / ${p99.toFixed(1)} / ${maximum.toFixed(0)}`;
