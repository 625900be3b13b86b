import type { AnySaga } from "../definition/definition.ts";
import type { SagaInfo } from "../operate/saga-info.ts";
import type { SagaRunner } from "../port/saga-runner.ts";
import type { StepScopes } from "../run/step-calls.ts";
import type { SagaStatus } from "../transitions/transitions.ts";
import { until } from "./until.ts";

/** How a runner under test runs. */
export interface RunOptions {
  /** Where steps find their dependencies. @default nowhere */
  readonly scopes?: StepScopes;
}

/** A runner under test. */
export interface RunnerFixture {
  /** Starts a runner of these sagas, after the end of the one before. The store is empty at first, and kept between them. */
  run(definitions: readonly AnySaga[], options?: RunOptions): Promise<SagaRunner>;
  /** Ends what the fixture opened. */
  close(): Promise<void>;
}

/** Waits for an instance to have a status. @param position first step at which it counts */
export const inStatus = (
  runner: SagaRunner,
  id: string,
  status: SagaStatus,
  position = 0,
): Promise<SagaInfo> =>
  until(`the saga to be ${status}`, async () => {
    const info = await runner.get(id);
    return info?.status === status && info.position >= position ? info : null;
  });
