import { cellsOf } from "./cells.ts";
import { contenders } from "./contenders.ts";
import { type Fleet, pinClient, startFleet } from "./fleet.ts";
import { besidePeers, judge } from "./gates.ts";
import { measureMemory } from "./idle-memory.ts";
import { canCountInstructions, measureInstructions } from "./instructions.ts";
import { measureListening } from "./listening.ts";
import { machineFacts, versionsOf, watchSteal } from "./machine.ts";
import type { Options } from "./options.ts";
import type { Measurements, MemoryRow, Report } from "./report.ts";
import { measureWorkload, type Round } from "./rounds.ts";
import { scenes } from "./scenes.ts";
import { measureStarts } from "./starts.ts";
import { type Workload, workloads } from "./workloads.ts";

/** Measures the selected parts sequentially, with progress on the terminal. */
export const runComparison = async (options: Options, command: string): Promise<Report> => {
  const start = performance.now();
  const say = (text: string): void =>
    console.log(`${((performance.now() - start) / 1000).toFixed(0).padStart(4)} s  ${text}`);
  const stolen = watchSteal();
  let pinned = pinClient();
  const measured = new Map<Workload, Round[]>(workloads.map((workload) => [workload, []]));
  const shared = shares(options.rounds, options.fleets);
  const promised = shares(options.promisedRounds, options.fleets);
  for (const [at, rounds] of shared.entries()) {
    for (const scene of scenes) {
      const chosen = workloads.filter(
        ({ name, scene: place = "routes" }) => options.parts.has(name) && place === scene.name,
      );
      if (chosen.length === 0 || (scene.folder !== undefined && at % 2 === 1)) continue;
      say(`starting the ${scene.title}`);
      await using fleet = await startFleet(
        contenders.filter(({ name }) => options.servers.has(name) && (scene.servers?.includes(name) ?? true)),
        scene,
      );
      pinned &&= fleet.members.every((member) => member.pinned);
      for (const workload of chosen) {
        say(workload.title);
        const effort = {
          rounds: workload.promised === true ? (promised[at] ?? rounds) : rounds,
          warmUp: hasGate(workload) ? options.gatedWarmUp : options.warmUp,
        };
        measured.get(workload)?.push(...(await roundsUnder(fleet, workload, { ...options, ...effort })));
      }
    }
  }
  const cells = [...measured].flatMap(([{ name }, rounds]) =>
    rounds.length > 0 ? cellsOf(name, rounds) : [],
  );
  const measurements: Measurements = { cells, ...(await otherMeasurements(options, say)) };
  return {
    date: new Date().toISOString(),
    command,
    quick: options.quick,
    partial: options.partial,
    seconds: (performance.now() - start) / 1000,
    machine: { ...machineFacts(), pinned, steal: stolen() },
    versions: versionsOf(options),
    rounds: options.rounds,
    promisedRounds: options.promisedRounds,
    fleets: options.fleets,
    warmUp: options.warmUp,
    gatedWarmUp: options.gatedWarmUp,
    ...measurements,
    gates: judge(measurements),
  };
};

/** Whether a gate depends on it, beside raw or beside a peer. */
const hasGate = ({ name, promised = false }: Workload): boolean => promised || besidePeers.includes(name);

/** Rounds for each fleet, divided evenly. */
const shares = (rounds: number, fleets: number): number[] =>
  Array.from({ length: Math.min(fleets, rounds) }, (_, at) => Math.ceil((rounds - at) / fleets));

const roundsUnder = ({ members }: Fleet, workload: Workload, options: Options): Promise<readonly Round[]> => {
  const only = (name: string): readonly string[] | undefined =>
    contenders.find((contender) => contender.name === name)?.only;
  const taking = members.filter(({ name }) => only(name)?.includes(workload.name) ?? true);
  const requests = Math.ceil(workload.requests * options.share);
  // A download costs as much as hundreds of small replies.
  const warmUp = Math.ceil((options.warmUp * workload.requests) / 3000);
  return measureWorkload(taking, workload, { rounds: options.rounds, warmUp, requests });
};

const otherMeasurements = async (
  options: Options,
  say: (text: string) => void,
): Promise<Omit<Measurements, "cells">> => ({
  memory: options.parts.has("memory") ? await allMemory(options, say) : [],
  starts: options.parts.has("start") ? await allStarts(options, say) : [],
  instructions: options.parts.has("instructions") ? await allInstructions(options, say) : [],
  listening: options.parts.has("listening") ? await listeningRow(options, say) : null,
});

const allMemory = async (options: Options, say: (text: string) => void): Promise<MemoryRow[]> => {
  say("memory of fresh processes");
  const json = workloads.find(({ name }) => name === "json") as Workload;
  const rows: MemoryRow[] = [];
  for (const contender of contenders) {
    if (!options.servers.has(contender.name) || contender.only !== undefined) continue;
    if (options.quick && contender.quickMemory !== true) continue;
    rows.push(await measureMemory(contender, json, options.memoryRounds));
  }
  return rows;
};

const allStarts = (
  { startRounds }: Options,
  say: (text: string) => void,
): ReturnType<typeof measureStarts> => {
  say("start of programs");
  return measureStarts(startRounds);
};

const listeningRow = (
  { startRounds }: Options,
  say: (text: string) => void,
): ReturnType<typeof measureListening> => {
  say("start of four workers");
  return measureListening(startRounds);
};

const allInstructions = async (
  options: Options,
  say: (text: string) => void,
): Promise<Measurements["instructions"]> => {
  if (!canCountInstructions()) {
    say("instructions are skipped: valgrind is not installed");
    return [];
  }
  say("instructions in user space");
  return measureInstructions(options);
};
