import { Load } from "../load/load.ts";
import { pin } from "../measure/pin.ts";
import { startServer } from "../measure/server.ts";
import type { Contender } from "./contenders.ts";
import { VitalsLine } from "./vitals-line.ts";

/** A running server, with its load generator and metrics. */
export interface Member extends AsyncDisposable {
  readonly name: string;
  readonly port: number;
  readonly load: Load;
  readonly vitals: VitalsLine;
  /** Whether it is pinned to its own core. */
  readonly pinned: boolean;
}

/** Core of the servers; the client has the next one. */
const SERVER_CORE = 0;

/** Starts one server in production. */
export const startMember = async (
  { name, file, args }: Contender,
  { five = false, execArgv = [] }: { readonly five?: boolean; readonly execArgv?: readonly string[] } = {},
): Promise<Member> => {
  const server = await startServer(file, five ? [...args, "--five"] : args, execArgv, {
    NODE_ENV: "production",
  });
  const vitalsPort = Number(/\{"vitals":(\d+)\}/.exec(server.program.output())?.[1]);
  const load = new Load(server.port);
  const vitals = new VitalsLine(vitalsPort);
  return {
    name,
    port: server.port,
    load,
    vitals,
    pinned: pin(server.program.pid, SERVER_CORE),
    async [Symbol.asyncDispose]() {
      load.close();
      vitals[Symbol.dispose]();
      server.program.kill();
      await server.program.exited;
    },
  };
};

/** Pins the client, which is this process, to another core than the servers; false when impossible. */
export const pinClient = (): boolean => pin(process.pid, SERVER_CORE + 1);

/** Running servers. */
export interface Fleet extends AsyncDisposable {
  readonly members: readonly Member[];
}

/** Starts several servers, one after the other. */
export const startFleet = async (chosen: readonly Contender[], five: boolean): Promise<Fleet> => {
  await using started = new AsyncDisposableStack();
  const members: Member[] = [];
  for (const contender of chosen) members.push(started.use(await startMember(contender, { five })));
  const all = started.move();
  return { members, [Symbol.asyncDispose]: () => all.disposeAsync() };
};
