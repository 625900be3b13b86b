import type { Shot } from "../load/shot.ts";
import type { Member } from "./fleet.ts";
import { type Cost, slice } from "./slice.ts";
import { verify } from "../workloads/verify.ts";
import type { Workload } from "../workloads/workloads.ts";

/** Cost of one round of slices, by server name. */
export type Round = ReadonlyMap<string, Cost>;

/** Numbers of rounds and requests of a measurement. */
export interface Effort {
  readonly rounds: number;
  /** Requests to each server before the first round. */
  readonly warmUp: number;
  /** Requests of a slice. */
  readonly requests: number;
}

/** Verifies and warms up all servers, then measures them one after another; each round reverses the order. */
export const measureWorkload = async (
  members: readonly Member[],
  workload: Workload,
  { rounds, warmUp, requests }: Effort,
): Promise<Round[]> => {
  const shots = new Map<Member, Shot>();
  for (const member of members) shots.set(member, await verify(member.name, member.port, workload));
  for (const [member, shot] of shots) await slice(member, workload, shot, warmUp);
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    const costs = new Map<string, Cost>();
    const order = round % 2 === 0 ? [...shots] : [...shots].toReversed();
    for (const [member, shot] of order) costs.set(member.name, await slice(member, workload, shot, requests));
    measured.push(costs);
  }
  for (const { load } of members) load.close();
  return measured;
};
