import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { World } from "./bus-world.test-kit.ts";

type Step = readonly [
  step: "fill" | "write" | "send" | "wait" | "kill" | "lose" | "start" | "cut" | "silence" | "heal" | "crash",
  at: number,
  ms: number,
];

const perform = async (world: World, [step, at, ms]: Step): Promise<void> => {
  const { server } = world;
  if (step === "fill" || step === "write" || step === "send" || step === "crash") world[step](at);
  else if (step === "kill") server.kill(true);
  else if (step === "lose") world.loseData();
  else if (step === "start") server.start();
  else if (step === "cut") server.network(world.process(at).id, "cut");
  else if (step === "silence") server.network(world.process(at).id, "silent");
  else if (step === "heal") server.network(world.process(at).id, "up");
  await world.pass(ms);
};

const settle = async (world: World): Promise<void> => {
  world.server.start();
  for (const { id } of world.processes) world.server.network(id, "up");
  await world.pass(12_000);
};

const step = (names: readonly Step[0][]): fc.Arbitrary<Step> =>
  fc.tuple(fc.constantFrom(...names), fc.nat({ max: 2 }), fc.constantFrom(0, 50, 200, 500, 1000, 3000, 7000));

/** Runs the steps after all processes have joined. Returns the world with the violations. */
const run = async (steps: readonly Step[]): Promise<World> => {
  const world = new World(3);
  await world.pass(500);
  for (const each of steps) await perform(world, each);
  await settle(world);
  return world;
};

const usual: readonly Step[0][] = ["fill", "fill", "write", "send", "wait"];

test("under any faults, a confirmed drop leaves no older copy, and a confirmed message has reached every process once", async () => {
  const faults: readonly Step[0][] = [
    "kill",
    "lose",
    "start",
    "start",
    "cut",
    "silence",
    "heal",
    "heal",
    "crash",
  ];
  await fc.assert(
    fc.asyncProperty(fc.array(step([...usual, ...faults]), { maxLength: 25, size: "max" }), async (steps) => {
      const { violations } = await run(steps);
      expect(violations).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

test("after the faults, drops and messages are confirmed, and every copy may be used", async () => {
  const faults: readonly Step[0][] = ["kill", "lose", "start", "cut", "silence", "heal"];
  await fc.assert(
    fc.asyncProperty(fc.array(step([...usual, ...faults]), { maxLength: 12 }), async (steps) => {
      const world = await run(steps);
      world.outcomes.length = 0;
      world.write(0);
      world.send(1);
      await world.pass(500);
      expect(world.outcomes.toSorted()).toEqual(["dropped", "sent"]);
      expect(world.processes.map(({ bus }) => bus.isConnected)).toEqual([true, true, true]);
    }),
    { numRuns: 100 },
  );
});
