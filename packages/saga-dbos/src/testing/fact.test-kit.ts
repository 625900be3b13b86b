import type { SagaRunner, SagaStatus } from "@framework/saga";
import { waitFor } from "@framework/testing";
import type { test as jestTest } from "@jest/globals";
import type { DbosFixture, DbosFixtures } from "./dbos-fixture.test-kit.ts";

/** Declares a test that gets a separate fixture. */
export type Fact = (name: string, run: (fixture: DbosFixture) => Promise<void>) => void;

export const factsOf =
  (test: typeof jestTest, fixtures: DbosFixtures): Fact =>
  (name, run) =>
    test(
      name,
      async () => {
        const fixture = await fixtures();
        try {
          await run(fixture);
        } finally {
          await fixture.close();
        }
      },
      180_000,
    );

export const waitForStatus = async (runner: SagaRunner, id: string, status: SagaStatus): Promise<void> =>
  void (await waitFor(async () => (await runner.get(id))?.status === status, {
    subject: `the saga to be ${status}`,
    timeoutMs: 60_000,
  }));
