import { setTimeout as pause } from "node:timers/promises";
import { get } from "../client/call.ts";
import { type Latency, measureLatency } from "../idle/latency.ts";
import { Peer } from "../soak/peer.ts";
import type { Service } from "../soak/service-report.ts";

/** Effect of stalled readers on other clients. */
export interface NeverReadingResult {
  readonly clients: number;
  /** Number of stalled replies during the measurement. */
  readonly stalled: number;
  readonly withoutStalled: Latency;
  readonly withStalled: Latency;
  /** Additional resident bytes of the service. */
  readonly residentBytes: number;
  /** Open connections, handlers and streams after the limit. */
  readonly open: number;
  readonly handlers: number;
  readonly streams: number;
}

const HALF = 500;
const PAUSE_MS = 1000;
const MEASURED_MS = 12_000;
/** Default limit of stalled writes, plus two seconds for the sweep and two for the clients. */
const CLOSED_MS = 34_000;

/** Measures 500 clients alone, then with 500 others that request long and endless replies and never read; waits until those are closed. */
export const measureNeverReading = async (service: Service): Promise<NeverReadingResult> => {
  const measure = async (): Promise<Latency> => {
    const stop = measureLatency(service.port, HALF, PAUSE_MS);
    await pause(MEASURED_MS);
    return stop();
  };
  await measure(); // warms the service up
  const withoutStalled = await measure();
  const before = await service.openResources();
  const peers = Array.from({ length: HALF }, (_unused, index) => {
    const peer = new Peer(service.port);
    peer.socket.pause();
    peer.send(get(index % 2 === 0 ? "/large/32" : "/endless"));
    return peer;
  });
  await pause(5000); // until the socket buffers are full
  const stalledSince = performance.now();
  const { residentBytes } = await service.openResources();
  const withStalled = await measure();
  const stalled = (await service.sockets()).open - 1;
  await pause(CLOSED_MS - (performance.now() - stalledSince));
  const after = await service.openResources();
  for (const peer of peers) peer.close();
  return {
    clients: HALF,
    stalled,
    withoutStalled,
    withStalled,
    residentBytes: residentBytes - before.residentBytes,
    open: after.open - 1,
    handlers: after.handlers,
    streams: after.streams,
  };
};
