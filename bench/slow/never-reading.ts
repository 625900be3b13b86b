import { setTimeout as pause } from "node:timers/promises";
import { get } from "../client/call.ts";
import { type Latency, measureLatency } from "../idle/latency.ts";
import { Peer } from "../soak/peer.ts";
import type { Service } from "../soak/service-report.ts";

/** Effect of stalled readers on other clients. */
export interface NeverRead {
  readonly clients: number;
  /** Number of stalled replies during the measurement. */
  readonly stuck: number;
  readonly alone: Latency;
  readonly beside: Latency;
  /** Resident bytes that they added to the service. */
  readonly residentBytes: number;
  /** Remaining connections and streams after the limit. */
  readonly left: number;
  readonly handlers: number;
  readonly streams: number;
}

const HALF = 500;
const THINK_MS = 1000;
const MEASURED_MS = 12_000;
/** Default of the limit on stalled writes, with two seconds for the sweep and two to see it. */
const CUT_MS = 34_000;

/** Measures 500 clients alone, then beside 500 that ask for long and endless replies and never read; waits until those are cut. */
export const neverReading = async (service: Service): Promise<NeverRead> => {
  const measured = async (): Promise<Latency> => {
    const ended = measureLatency(service.port, HALF, THINK_MS);
    await pause(MEASURED_MS);
    return ended();
  };
  await measured(); // warms the service up
  const alone = await measured();
  const before = await service.left();
  const peers = Array.from({ length: HALF }, (_unused, index) => {
    const peer = new Peer(service.port);
    peer.socket.pause();
    peer.send(get(index % 2 === 0 ? "/large/32" : "/endless"));
    return peer;
  });
  await pause(5000); // until the buffers of the system are full
  const stuckSince = performance.now();
  const { residentBytes } = await service.left();
  const beside = await measured();
  const stuck = (await service.sockets()).open - 1;
  await pause(CUT_MS - (performance.now() - stuckSince));
  const after = await service.left();
  for (const peer of peers) peer.close();
  return {
    clients: HALF,
    stuck,
    alone,
    beside,
    residentBytes: residentBytes - before.residentBytes,
    left: after.open - 1,
    handlers: after.handlers,
    streams: after.streams,
  };
};
