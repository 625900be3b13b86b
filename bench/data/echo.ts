import { type Program, startProgram } from "@framework/testing";
import { VitalsClient } from "../measure/vitals-client.ts";
import { pin } from "../measure/pin.ts";
import { estimate } from "../measure/statistics.ts";
import { EchoClient, openMany } from "./echo-client.ts";
import type { Comparison } from "./compare-implementations.ts";

/** Connections, each with one message of 100 bytes in flight. */
const CONNECTIONS = 64;
const MESSAGES = 8000;
const WARM_UP = 6;

interface MeasuredServer extends AsyncDisposable {
  /** Exchanges `MESSAGES` messages; returns microseconds per message: elapsed time, and CPU time of the server. */
  run(): Promise<{ readonly wall: number; readonly processor: number }>;
}

/** An echo server, with its metrics. */
export interface EchoServer extends AsyncDisposable {
  readonly program: Program;
  readonly port: number;
  readonly vitals: VitalsClient;
}

const startEcho = async (file: URL, execArgv: readonly string[]): Promise<EchoServer> => {
  const env = { NODE_OPTIONS: undefined, NODE_ENV: "production" };
  const program = await startProgram(file, { execArgv, env, timeoutMs: 60_000 });
  const vitals = new VitalsClient(Number(/"vitals":(\d+)/.exec(program.output())?.[1]));
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

/** Starts the framework's server. */
export const startFrameworkEcho = (execArgv: readonly string[] = []): Promise<EchoServer> =>
  startEcho(new URL("./echo-framework.ts", import.meta.url), execArgv);

/** Starts the baseline server. */
const startBareEcho = (): Promise<EchoServer> => startEcho(new URL("./echo-bare.ts", import.meta.url), []);

const connectClients = async (server: EchoServer): Promise<MeasuredServer> => {
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

/** Makes every client send again on each echo, until all messages are exchanged. */
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
export const compareEcho = async (rounds: number): Promise<Comparison> => {
  await using ours = await connectClients(await startFrameworkEcho());
  await using bare = await connectClients(await startBareEcho());
  pin(process.pid, 1);
  const samples = [];
  for (let round = -WARM_UP; round < rounds; round++) {
    const oursFirst = round % 2 === 0;
    const first = await (oursFirst ? ours : bare).run();
    const second = await (oursFirst ? bare : ours).run();
    if (round >= 0) samples.push(oursFirst ? { ours: first, bare: second } : { ours: second, bare: first });
  }
  return {
    throughput: estimate(samples.map((one) => one.bare.wall / one.ours.wall)),
    processor: estimate(samples.map((one) => one.bare.processor / one.ours.processor)),
    ours: estimate(samples.map((one) => one.ours.wall)),
    bare: estimate(samples.map((one) => one.bare.wall)),
  };
};
