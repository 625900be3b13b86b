import type { AppSettings, Middleware } from "@framework/core";
import type { SharedState } from "@framework/core/feature";
import {
  inProcessState,
  memoryHub,
  primaryState,
  serveSharedState,
  type VirtualClock,
  virtualClock,
} from "@framework/core/testing";
import { CircuitBreakerConfig } from "./circuit-config.ts";
import { CircuitRegistry } from "./circuit-registry.ts";
import type { CircuitTransition } from "./circuit.ts";

/** Settings of an app without logs. */
export const quiet: Pick<AppSettings, "log"> = { log: { info() {}, warn() {}, error() {} } };

export type Outcome = "success" | "failure";

/** One worker with one circuit, named `callee`. */
export interface Worker {
  readonly circuits: CircuitRegistry;
  readonly call: Middleware<null, Outcome>;
  readonly seen: CircuitTransition[];
  readonly die: () => void;
}

export interface Service {
  readonly clock: VirtualClock;
  readonly workers: Worker[];
  /** Starts one more worker. */
  readonly start: () => Promise<Worker>;
  readonly states: () => string[];
}

export interface ServiceOptions {
  readonly failureThreshold?: number;
  readonly resetTimeout?: number;
  readonly halfOpenTarget?: number;
  readonly workers?: number;
  readonly wrap?: (shared: SharedState) => SharedState;
  /** Log of all workers. @default none */
  readonly log?: AppSettings["log"];
}

/** Starts several workers of one primary, all in this process and on one virtual clock. */
export const service = async ({
  workers: count = 4,
  wrap = (shared) => shared,
  log = quiet.log,
  ...settings
}: ServiceOptions = {}): Promise<Service> => {
  const clock = virtualClock();
  const hub = memoryHub();
  serveSharedState(inProcessState({ clock, ...quiet, timeoutMs: Infinity }), hub);
  const workers: Worker[] = [];
  const start = async (): Promise<Worker> => {
    const link = hub.connect();
    const seen: CircuitTransition[] = [];
    const circuits = new CircuitRegistry({ of: () => undefined });
    const onTransition = (transition: CircuitTransition): void => void seen.push(transition);
    circuits.configure(CircuitBreakerConfig.of({ ...settings, clock, onTransition }));
    const call = circuits.around<null, Outcome>("callee", { isFailure: (outcome) => outcome === "failure" });
    const shared = wrap(primaryState(link.worker, { clock, ...quiet }));
    await circuits.start([], shared, { log } as AppSettings);
    const worker = { circuits, call, seen, die: () => link.close() };
    workers.push(worker);
    return worker;
  };
  for (let worker = 0; worker < count; worker++) await start();
  const states = (): string[] => workers.flatMap(({ circuits }) => circuits.list().map(({ state }) => state));
  return { clock, workers, start, states };
};
