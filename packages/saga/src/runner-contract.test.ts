import { expectContractToCatch, portContract } from "@framework/core/testing";
import { databaseInFile } from "@framework/database/testing";
import { expect, test } from "@jest/globals";
import { localFixture } from "./testing/local-fixture.test-kit.ts";
import type { RunnerFixture } from "./testing.ts";
import { sagaRunnerContract } from "./testing.ts";

sagaRunnerContract(test, () => localFixture(databaseInFile()));

test("the suite catches a runner that ignores keys and undoes nothing", async () => {
  const broken = (): RunnerFixture => {
    const fixture = localFixture(databaseInFile());
    return {
      ...fixture,
      async run(definitions) {
        const withoutUndo = definitions.map((definition) => ({
          ...definition,
          steps: definition.steps.map((step) =>
            "branches" in step
              ? { ...step, branches: step.branches.map((branch) => ({ ...branch, undo: null })) }
              : step,
          ),
        }));
        const runner = await fixture.run(withoutUndo as never);
        let calls = 0;
        return Object.assign(Object.create(runner), {
          start: (definition: never, input: never, options: { key: string }) =>
            runner.start(definition, input, { ...options, key: `${options.key} ${calls++}` }),
        });
      },
    };
  };
  const names = [
    "has one instance per key",
    "undoes started steps in reverse order after a rejection",
    "undoes a saga that an operator cancels in a wait",
  ];
  const { facts } = sagaRunnerContract;
  const selected = Object.fromEntries(Object.entries(facts).filter(([name]) => names.includes(name)));
  const caught = await expectContractToCatch(portContract("runner", selected), broken, { timeoutMs: 60_000 });
  expect(caught.toSorted()).toEqual(names.toSorted());
}, 300_000);
