import { type PortContract, portContract } from "@framework/core/testing";
import { appendFacts } from "./append-facts.ts";
import { expectedVersionFacts } from "./expected-version-facts.ts";
import { personalDataFacts } from "./personal-data-facts.ts";
import { readFacts } from "./read-facts.ts";
import { repeatFacts } from "./repeat-facts.ts";
import { snapshotFacts } from "./snapshot-facts.ts";
import type { EventStoreFixture } from "./store-fixture.ts";
import { upcastFacts } from "./upcast-facts.ts";

/** Contract tests of event stores, for every database. */
export const eventStoreContract: PortContract<EventStoreFixture> = portContract("event store", {
  ...expectedVersionFacts,
  ...appendFacts,
  ...repeatFacts,
  ...readFacts,
  ...upcastFacts,
  ...snapshotFacts,
  ...personalDataFacts,
});
