import { type PortContract, portContract } from "@framework/core/testing";
import type { EventStoreFixture } from "../contract/store-fixture.ts";
import { parkedFacts } from "./parked/parked-facts.test-kit.ts";
import { personalViewFacts } from "./personal-view-facts.test-kit.ts";
import { projectionFacts } from "./projection-facts.test-kit.ts";
import { rebuildPartFacts } from "./rebuild/rebuild-part-facts.test-kit.ts";
import { rebuildFacts } from "./rebuild/rebuild-facts.test-kit.ts";

/** Contract tests of projections, for every database. */
export const projectionsContract: PortContract<EventStoreFixture> = portContract("projections", {
  ...projectionFacts,
  ...parkedFacts,
  ...rebuildFacts,
  ...rebuildPartFacts,
  ...personalViewFacts,
});
