import { expect, test } from "@jest/globals";
import { verify } from "../compare/verify.ts";
import { Load } from "../load/load.ts";
import { type Counted, judge } from "./baseline.ts";
import { instrument, startCounted } from "./callgrind.ts";
import { countShot } from "./count.ts";
import { gateJobs } from "./subjects.ts";

const counted = (json: number): Counted => ({
  instrument: "valgrind",
  node: process.version,
  arch: process.arch,
  cells: {
    "raw json": { instructions: 50_000, low: 50_000, high: 50_000 },
    "fast json": { instructions: json, low: json, high: json },
  },
});

const missing = (): never => {
  throw new Error("the gate does not count the fast transport");
};

/** Counts the same process twice as it is and once with a cost planted at run time. */
const countPlanted = async (): Promise<{ before: number; again: number; planted: number }> => {
  const { subject, workloads } = gateJobs.find((job) => job.subject.name === "fast") ?? missing();
  const plant = ["--import", `${import.meta.dirname}/planted-cost.ts`];
  await using server = await startCounted(subject.file, subject.args, plant);
  const load = new Load(server.port);
  const shot = await verify("fast", server.port, workloads[0] ?? missing());
  const count = async (): Promise<number> => {
    await load.run(shot, 64, 8000);
    const { instructions } = await countShot(server, load, shot, { windows: 3, requests: 600 });
    return instructions;
  };
  const before = await count();
  const again = await count();
  process.kill(server.pid, "SIGUSR2");
  const planted = await count();
  load.close();
  return { before, again, planted };
};

const expectGate = async (): Promise<void> => {
  const { before, again, planted } = await countPlanted();
  const held = (json: number): boolean[] => judge(counted(json), counted(before)).map(({ holds }) => holds);

  expect(planted / before).toBeGreaterThan(1.12);
  expect(planted / before).toBeLessThan(1.35);
  expect(held(again)).toEqual([true, true]);
  expect(held(planted)).toEqual([false, false]);
};

const { name, reason } = instrument();
if (name === null) console.log(`Not tested on a real server: ${reason}`);

(name === null ? test.skip : test)(
  "a server that starts to cost some 15 % more fails the gate, the same server before does not",
  () => expectGate(),
  300_000,
);
