import { cellsOf } from "./cells.ts";
import { contenders } from "./contenders.ts";
import { type Fleet, pinClient, startFleet } from "./fleet.ts";
import { peerWorkloads, evaluateGates } from "./gates.ts";
import { measureMemory } from "./idle-memory.ts";
import { canCountInstructions, measureInstructions } from "./instructions.ts";
import { measureListening } from "./listening.ts";
import { machineFacts, versionsOf, measureSteal } from "./machine.ts";
import type { Options } from "./options.ts";
import type { Measurements, MemoryRow, Report } from "./report.ts";
import { measureWorkload, type Round } from "./rounds.ts";
import { scenarios } from "./scenarios.ts";
import { measureStarts } from "./starts.ts";
import { type Workload, workloads } from "../workloads/workloads.ts";

/** Measures the selected parts sequentially, with progress on the terminal. */
export const runComparison = async (options: Options, command: string): Promise<Report> => {
  const start = performance.now();
  const log = (text: string): void =>
    console.log(`${((performance.now() - start) / 1000).toFixed(0).padStart(4)} s  ${text}`);
  const readSteal = measureSteal();
  let pinned = pinClient();
  const measured = new Map<Workload, Round[]>(workloads.map((workload) => [workload, []]));
  const shared = shares(options.rounds, options.fleets);
  const mainShares = shares(options.promisedRounds, options.fleets);
  for (const [at, rounds] of shared.entries()) {
    for (const scenario of scenarios) {
      const chosen = workloads.filter(
        ({ name, scenario: place = "routes" }) => options.parts.has(name) && place === scenario.name,
      );
      if (chosen.length === 0 || (scenario.folder !== undefined && at % 2 === 1)) continue;
      log(`starting the ${scenario.title}`);
      await using fleet = await startFleet(
        contenders.filter(
          ({ name }) => options.servers.has(name) && (scenario.servers?.includes(name) ?? true),
        ),
        scenario,
      );
      pinned &&= fleet.members.every((member) => member.pinned);
      for (const workload of chosen) {
        log(workload.title);
        const effort = {
          rounds: workload.isMain === true ? (mainShares[at] ?? rounds) : rounds,
          warmUp: hasGate(workload) ? options.gatedWarmUp : options.warmUp,
        };
        measured.get(workload)?.push(...(await measureRounds(fleet, workload, { ...options, ...effort })));
      }
    }
  }
  const cells = [...measured].flatMap(([{ name }, rounds]) =>
    rounds.length > 0 ? cellsOf(name, rounds) : [],
  );
  const measurements: Measurements = { cells, ...(await otherMeasurements(options, log)) };
  return {
    date: new Date().toISOString(),
    command,
    quick: options.quick,
    partial: options.partial,
    seconds: (performance.now() - start) / 1000,
    machine: { ...machineFacts(), pinned, steal: readSteal() },
    versions: versionsOf(options),
    rounds: options.rounds,
    promisedRounds: options.promisedRounds,
    fleets: options.fleets,
    warmUp: options.warmUp,
    gatedWarmUp: options.gatedWarmUp,
    ...measurements,
    gates: evaluateGates(measurements),
  };
};

/** Whether a gate compares the workload with raw or with a peer. */
const hasGate = ({ name, isMain = false }: Workload): boolean => isMain || peerWorkloads.includes(name);

/** Divides the rounds evenly among the fleets. */
const shares = (rounds: number, fleets: number): number[] =>
  Array.from({ length: Math.min(fleets, rounds) }, (_, at) => Math.ceil((rounds - at) / fleets));

const measureRounds = (
  { members }: Fleet,
  workload: Workload,
  options: Options,
): Promise<readonly Round[]> => {
  const only = (name: string): readonly string[] | undefined =>
    contenders.find((contender) => contender.name === name)?.only;
  const measuredMembers = members.filter(({ name }) => only(name)?.includes(workload.name) ?? true);
  const requests = Math.ceil(workload.requests * options.share);
  // Fewer for expensive requests: a download costs as much as hundreds of small replies.
  const warmUp = Math.ceil((options.warmUp * workload.requests) / 3000);
  return measureWorkload(measuredMembers, workload, { rounds: options.rounds, warmUp, requests });
};

const otherMeasurements = async (
  options: Options,
  log: (text: string) => void,
): Promise<Omit<Measurements, "cells">> => ({
  memory: options.parts.has("memory") ? await allMemory(options, log) : [],
  starts: options.parts.has("start") ? await allStarts(options, log) : [],
  instructions: options.parts.has("instructions") ? await allInstructions(options, log) : [],
  listening: options.parts.has("listening") ? await listeningRow(options, log) : null,
});

const allMemory = async (options: Options, log: (text: string) => void): Promise<MemoryRow[]> => {
  log("memory of fresh processes");
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
  log: (text: string) => void,
): ReturnType<typeof measureStarts> => {
  log("start of programs");
  return measureStarts(startRounds);
};

const listeningRow = (
  { startRounds }: Options,
  log: (text: string) => void,
): ReturnType<typeof measureListening> => {
  log("start of four workers");
  return measureListening(startRounds);
};

const allInstructions = async (
  options: Options,
  log: (text: string) => void,
): Promise<Measurements["instructions"]> => {
  if (!canCountInstructions()) {
    log("instructions are skipped: valgrind is not installed");
    return [];
  }
  log("instructions in user space");
  return measureInstructions(options);
};
