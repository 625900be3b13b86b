import { type Program, startProgram, waitFor } from "@framework/testing";
import { fetchJson } from "../client/fetch-json.ts";
import { selectNames } from "../measure/select-names.ts";
import type { Vitals } from "../servers/vitals.ts";

/** The compared transports. */
export const transports = ["fast", "node"] as const;
export type TransportName = (typeof transports)[number];

/** Returns the transport with a name, or all transports without one. @throws Error for an unknown name */
export const selectTransports = (name: string | undefined): readonly TransportName[] =>
  name === undefined ? transports : selectNames("transport", [name], transports);

/** Connections of the service. */
export interface Sockets {
  /** Open connections, including the connection of the request. */
  readonly open: number;
  /** Maximum lifetime of connections that ended since the last report. */
  readonly longestMs: number;
  /** Connections accepted since the last report. */
  readonly accepted: number;
}

/** Resources of the service after a garbage collection. */
export interface OpenResources extends Vitals {
  readonly open: number;
  readonly handlers: number;
  readonly streams: number;
}

/** A running service. */
export interface Service extends AsyncDisposable {
  readonly program: Program;
  readonly port: number;
  sockets(): Promise<Sockets>;
  openResources(): Promise<OpenResources>;
  /** Returns the error lines of its log. */
  errors(): string[];
}

/** Settings that differ from the defaults. */
export interface ServiceSettings {
  readonly limits?: object;
  readonly timeouts?: object;
}

/** Starts the service on one of the transports, in one process. */
export const startService = async (
  transport: TransportName,
  { limits = {}, timeouts = {} }: ServiceSettings = {},
): Promise<Service> => {
  const program = await startProgram(new URL("service.ts", import.meta.url), {
    args: ["--env", "production", "--workers", "1"],
    // Without bytecode flushing, which frees memory at any time and could hide a leak.
    execArgv: ["--expose-gc", "--no-flush-bytecode"],
    env: {
      NODE_OPTIONS: undefined,
      TRANSPORT: transport,
      LIMITS: JSON.stringify(limits),
      TIMEOUTS: JSON.stringify(timeouts),
    },
    timeoutMs: 60_000,
    stopTimeoutMs: 40_000,
  });
  const port = Number(new URL(program.url).port);
  return {
    program,
    port,
    sockets: async () => (await fetchJson(port, "/sockets")) as Sockets,
    openResources: async () => (await fetchJson(port, "/open-resources")) as OpenResources,
    errors: () =>
      program
        .output()
        .split("\n")
        .filter((line) => /"level":"error"|unhandled|uncaught/i.test(line)),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
};

/** Waits until the connection of the request is the only one; returns whether that happened. */
export const waitUntilOthersClose = async (service: Service, timeoutMs: number): Promise<boolean> => {
  try {
    await waitFor(async () => (await service.sockets()).open <= 1, { timeoutMs, intervalMs: 200 });
    return true;
  } catch {
    return false; // reported by the caller's gate
  }
};
