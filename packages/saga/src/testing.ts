// For tests of sagas, and for packages with their own runner.
export {
  type LostAfter,
  type TimeMachine,
  timeMachine,
  type TimeMachineOptions,
} from "./testing/time-machine.ts";
export { sagaRunnerContract } from "./testing/runner-contract.ts";
export type { RunnerFixture, RunOptions } from "./testing/runner-fixture.ts";
