import { Load } from "../load/load.ts";
import { pin } from "../measure/pin.ts";
import { startServer } from "../measure/server.ts";
import type { Contender } from "./contenders.ts";
import type { DataSource } from "./book-tables.ts";
import type { Scenario } from "./scenarios.ts";
import { VitalsClient } from "../measure/vitals-client.ts";

/** A running server, with its load generator and metrics. */
export interface Member extends AsyncDisposable {
  readonly name: string;
  readonly port: number;
  readonly load: Load;
  readonly vitals: VitalsClient;
  /** Whether it is pinned to its own core. */
  readonly pinned: boolean;
}

/** CPU core of the servers; the client runs on the next one. */
const SERVER_CORE = 0;

/** Starts one server in production. */
export const startMember = async (
  { name, file, args }: Contender,
  {
    scenario,
    env = {},
    execArgv = [],
  }: {
    readonly scenario?: Scenario;
    readonly env?: Readonly<Record<string, string>>;
    readonly execArgv?: readonly string[];
  } = {},
): Promise<Member> => {
  const program = scenario?.folder === undefined ? file : `${scenario.folder}/${file}`;
  const server = await startServer(program, [...args, ...(scenario?.args ?? [])], execArgv, {
    NODE_ENV: "production",
    ...env,
  });
  const processes = processesOf(server.program.output());
  const load = new Load(server.port);
  const vitals = new VitalsClient(...processes.map(({ vitals }) => vitals));
  return {
    name,
    port: server.port,
    load,
    vitals,
    pinned: processes.map(({ pid }) => pin(pid, SERVER_CORE)).every(Boolean),
    async [Symbol.asyncDispose]() {
      load.close();
      vitals[Symbol.dispose]();
      server.program.kill();
      await server.program.exited;
    },
  };
};

/** Returns the processes of a server; there are several with workers. */
const processesOf = (output: string): readonly { readonly vitals: number; readonly pid: number }[] =>
  [...output.matchAll(/\{"vitals":(\d+),"pid":(\d+)\}/g)].map(([, vitals, pid]) => ({
    vitals: Number(vitals),
    pid: Number(pid),
  }));

/** Pins the client, which is this process, to a different core than the servers; false if that is not possible. */
export const pinClient = (): boolean => pin(process.pid, SERVER_CORE + 1);

/** Running servers. */
export interface Fleet extends AsyncDisposable {
  readonly members: readonly Member[];
}

/** Starts the servers of a scenario, one after the other. */
export const startFleet = async (chosen: readonly Contender[], scenario: Scenario): Promise<Fleet> => {
  await using started = new AsyncDisposableStack();
  const source: DataSource | undefined = await scenario.open?.();
  if (source !== undefined) started.use(source);
  const members: Member[] = [];
  for (const contender of chosen) {
    members.push(started.use(await startMember(contender, { scenario, env: source?.env ?? {} })));
  }
  const all = started.move();
  return { members, [Symbol.asyncDispose]: () => all.disposeAsync() };
};
