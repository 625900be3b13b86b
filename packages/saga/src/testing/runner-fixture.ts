import type { AnySaga } from "../definition/definition.ts";
import type { SagaInfo } from "../operate/saga-info.ts";
import type { SagaRunner } from "../port/saga-runner.ts";
import type { StepScopes } from "../run/step-calls.ts";
import type { SagaStatus } from "../transitions/transitions.ts";
import { until } from "./until.ts";

/** Options of a runner under test. */
export interface RunOptions {
  /** Resolves the dependencies of steps. @default no dependencies */
  readonly scopes?: StepScopes;
}

/** Fixture of a runner under test. */
export interface RunnerFixture {
  /** Stops the previous runner, if any, and starts one with these sagas. The store is empty at first, and kept between runners. */
  run(definitions: readonly AnySaga[], options?: RunOptions): Promise<SagaRunner>;
  /** Frees all resources of the fixture. */
  close(): Promise<void>;
}

/** Waits until an instance has a status. @param position minimum position of the instance */
export const waitForStatus = (
  runner: SagaRunner,
  id: string,
  status: SagaStatus,
  position = 0,
): Promise<SagaInfo> =>
  until(`the saga to be ${status}`, async () => {
    const info = await runner.get(id);
    return info?.status === status && info.position >= position ? info : null;
  });
