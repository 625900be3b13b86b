import { type Program, startProgram, waitFor } from "@framework/testing";
import { ask } from "../client/ask.ts";
import type { Vitals } from "../servers/vitals.ts";

/** The transports that are compared. */
export const transports = ["fast", "node"] as const;
export type TransportName = (typeof transports)[number];

/** The service's report on its connections. */
export interface Sockets {
  /** Connections that are open, the asking one included. */
  readonly open: number;
  /** The longest life of those that ended since the last question. */
  readonly longestMs: number;
  /** Connections that came since then. */
  readonly accepted: number;
}

/** Resources of the service after a collection. */
export interface Left extends Vitals {
  readonly open: number;
  readonly handlers: number;
  readonly streams: number;
}

/** A running service. */
export interface Service extends AsyncDisposable {
  readonly program: Program;
  readonly port: number;
  sockets(): Promise<Sockets>;
  left(): Promise<Left>;
  /** Error lines of its log. */
  errors(): string[];
}

/** Settings of the service that differ from the defaults. */
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
    // V8 discards code of unused functions at any time, which could hide a leak.
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
    sockets: async () => (await ask(port, "/sockets")) as Sockets,
    left: async () => (await ask(port, "/left")) as Left,
    errors: () =>
      program
        .output()
        .split("\n")
        .filter((line) => /"level":"error"|unhandled|uncaught/i.test(line)),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
};

/** Waits until the requesting connection is the only one; returns whether that happened. */
export const isAlone = async (service: Service, timeoutMs: number): Promise<boolean> => {
  try {
    await waitFor(async () => (await service.sockets()).open <= 1, { timeoutMs, intervalMs: 200 });
    return true;
  } catch {
    return false; // the caller's gate reports it
  }
};
