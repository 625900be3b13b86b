// The contract of the work table: the same facts on every database.
import { portContract, type PortContract } from "@framework/core/testing";
import { addingFacts } from "./adding-facts.test-kit.ts";
import { endingFacts } from "./ending-facts.test-kit.ts";
import { readingFacts } from "./reading-facts.test-kit.ts";
import type { WorkFixture } from "./work-fixture.test-kit.ts";

export const workTableContract: PortContract<WorkFixture> = portContract<WorkFixture>("work table", {
  ...addingFacts,
  ...endingFacts,
  ...readingFacts,
});
