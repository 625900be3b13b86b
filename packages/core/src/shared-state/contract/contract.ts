import type { Awaitable } from "../../middleware/middleware.ts";
import { boundFacts } from "./contract-bounds.ts";
import { channelFacts } from "./contract-channels.ts";
import { counterFacts } from "./contract-counters.ts";
import type { SharedStateFixture } from "./contract-fact.ts";
import { permitFacts } from "./contract-permits.ts";
import { tallyFacts } from "./contract-tallies.ts";
import { valueFacts } from "./contract-values.ts";

/** The runner's `test`. */
export type ContractTest = (name: string, body: () => Promise<void>) => void;

/** States what every adapter of `SharedState` promises, as tests of the given runner. */
export const sharedStateContract = (test: ContractTest, make: () => Awaitable<SharedStateFixture>): void => {
  for (const [name, body] of [
    ...counterFacts,
    ...valueFacts,
    ...permitFacts,
    ...tallyFacts,
    ...channelFacts,
    ...boundFacts,
  ]) {
    test(name, async () => {
      const fixture = await make();
      try {
        await body(fixture);
      } finally {
        await fixture.close?.();
      }
    });
  }
};
