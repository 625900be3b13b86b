import { type Program, startProgram } from "@framework/testing";
import { VitalsLine } from "../compare/vitals-line.ts";
import { pin } from "../measure/pin.ts";
import { estimate } from "../measure/statistics.ts";
import { EchoClient, openMany } from "./echo-client.ts";
import type { Compared } from "./turns.ts";

/** Connections, each with one message of 100 bytes in flight. */
const CONNECTIONS = 64;
const MESSAGES = 8000;
const WARM_UP = 6;

interface Side extends AsyncDisposable {
  /** Sends this many messages; returns microseconds per message, of elapsed time and of the server's CPU time. */
  run(): Promise<{ readonly wall: number; readonly processor: number }>;
}

/** An echo server, with its metrics. */
export interface EchoServer extends AsyncDisposable {
  readonly program: Program;
  readonly port: number;
  readonly vitals: VitalsLine;
}

const startEcho = async (file: URL, execArgv: readonly string[]): Promise<EchoServer> => {
  const env = { NODE_OPTIONS: undefined, NODE_ENV: "production" };
  const program = await startProgram(file, { execArgv, env, timeoutMs: 60_000 });
  const vitals = new VitalsLine(Number(/"vitals":(\d+)/.exec(program.output())?.[1]));
  return {
    program,
    port: Number(new URL(program.url).port),
    vitals,
    async [Symbol.asyncDispose]() {
      vitals[Symbol.dispose]();
      program.kill();
      await program.exited;
    },
  };
};

/** The framework's. */
export const startFrameworkEcho = (execArgv: readonly string[] = []): Promise<EchoServer> =>
  startEcho(new URL("./echo-framework.ts", import.meta.url), execArgv);

/** The baseline. */
const startBareEcho = (): Promise<EchoServer> => startEcho(new URL("./echo-bare.ts", import.meta.url), []);

const measured = async (server: EchoServer): Promise<Side> => {
  const { program, port, vitals } = server;
  pin(program.pid, 0);
  const clients = await openMany(CONNECTIONS, () => EchoClient.open(port, "/echo"));
  return {
    run: async () => {
      const before = await vitals.cpuMicros();
      const start = performance.now();
      await exchange(clients);
      const wall = ((performance.now() - start) * 1000) / MESSAGES;
      return { wall, processor: ((await vitals.cpuMicros()) - before) / MESSAGES };
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
};

/** Every client sends again on each echo, until all messages are sent. */
const exchange = (clients: readonly EchoClient[]): Promise<void> =>
  new Promise((resolve, reject) => {
    let [unsent, missing] = [MESSAGES, MESSAGES];
    const next = (client: EchoClient): void => {
      if (unsent-- <= 0) return;
      client.send(() => {
        if (--missing === 0) resolve();
        else next(client);
      }, reject);
    };
    for (const client of clients) next(client);
  });

/** Compares WebSocket echoes: the framework and `ws` on `node:http`, each in its own process on the same core. */
export const compareEcho = async (rounds: number): Promise<Compared> => {
  await using ours = await measured(await startFrameworkEcho());
  await using bare = await measured(await startBareEcho());
  pin(process.pid, 1);
  const taken = [];
  for (let round = -WARM_UP; round < rounds; round++) {
    const oursFirst = round % 2 === 0;
    const first = await (oursFirst ? ours : bare).run();
    const second = await (oursFirst ? bare : ours).run();
    if (round >= 0) taken.push(oursFirst ? { ours: first, bare: second } : { ours: second, bare: first });
  }
  return {
    throughput: estimate(taken.map((one) => one.bare.wall / one.ours.wall)),
    processor: estimate(taken.map((one) => one.bare.processor / one.ours.processor)),
    ours: estimate(taken.map((one) => one.ours.wall)),
    bare: estimate(taken.map((one) => one.bare.wall)),
  };
};
