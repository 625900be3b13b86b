import { inProcessState } from "../in-process-state.ts";
import { type MemoryHub, memoryHub } from "./memory-link.ts";
import { primaryState } from "./primary-state.ts";
import { serveSharedState, type ServeSharedStateOptions } from "./serve-shared-state.ts";
import { type VirtualClock, virtualClock } from "../../runtime/virtual-clock.ts";

const quiet = { error: () => {} };

/** The state of a primary process, and workers that use it. */
export interface Cluster {
  readonly clock: VirtualClock;
  readonly advance: VirtualClock["advance"];
  readonly state: ReturnType<typeof inProcessState>;
  /** Ends the primary's service. */
  readonly stop: () => void;
  /** Adds a worker. */
  readonly join: () => {
    readonly link: ReturnType<MemoryHub["connect"]>;
    readonly state: ReturnType<typeof primaryState>;
  };
  readonly hub: MemoryHub;
}

/** Creates a primary without workers, on a virtual clock. */
export const cluster = (options: ServeSharedStateOptions = {}): Cluster => {
  const clock = virtualClock();
  const { advance } = clock;
  const hub = memoryHub();
  const state = inProcessState({ clock, log: quiet, timeoutMs: Infinity });
  const stop = serveSharedState(state, hub, options);
  const join = () => {
    const link = hub.connect();
    return { link, state: primaryState(link.worker, { clock, log: quiet }) };
  };
  return { clock, advance, state, stop, join, hub };
};
