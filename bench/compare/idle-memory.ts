import { Load } from "../load/load.ts";
import { estimate } from "../measure/statistics.ts";
import type { Contender } from "./contenders.ts";
import { startMember } from "./fleet.ts";
import type { MemoryRow } from "./report.ts";
import { verify } from "../workloads/verify.ts";
import type { Workload } from "../workloads/workloads.ts";

const LOAD_CONNECTIONS = 64;
const LOAD_REQUESTS = 20_000;
const IDLE_CONNECTIONS = 4000;
/** Connections opened concurrently; few, so that requests in flight hardly affect the heap. */
const BATCH = 100;

interface Sample {
  readonly start: number;
  readonly afterLoad: number;
  readonly perConnection: number;
}

/** Measures resident memory of fresh processes: at start, after load, and per connection for 4,000 idle connections after one reply each. */
export const measureMemory = async (
  contender: Contender,
  workload: Workload,
  rounds: number,
): Promise<MemoryRow> => {
  const samples: Sample[] = [];
  for (let round = 0; round < rounds; round++) samples.push(await sample(contender, workload));
  return {
    server: contender.name,
    startBytes: estimate(samples.map(({ start }) => start)),
    afterLoadBytes: estimate(samples.map(({ afterLoad }) => afterLoad)),
    idleConnectionBytes: estimate(samples.map(({ perConnection }) => perConnection)),
  };
};

const sample = async (contender: Contender, workload: Workload): Promise<Sample> => {
  await using member = await startMember(contender, { execArgv: ["--expose-gc"] });
  const { name, port, load, vitals } = member;
  const start = await vitals.residentBytes();
  const shot = await verify(name, port, workload);
  await load.run(shot, LOAD_CONNECTIONS, LOAD_REQUESTS);
  load.close();
  const afterLoad = await vitals.residentBytes();
  const idle: Load[] = [];
  for (let open = 0; open < IDLE_CONNECTIONS; open += BATCH) {
    const next = new Load(port);
    idle.push(next);
    await next.run(shot, BATCH, BATCH);
  }
  const withIdle = await vitals.residentBytes();
  for (const one of idle) one.close();
  return { start, afterLoad, perConnection: (withIdle - afterLoad) / IDLE_CONNECTIONS };
};
