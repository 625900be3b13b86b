import { type PortContract, type PortFixture, portContract } from "../../contract/port-contract.ts";
import type { SharedValues } from "../values/shared-values.ts";
import { boundFacts } from "./bound-facts.ts";
import { channelFacts } from "./channel-facts.ts";
import { counterFacts } from "./counter-facts.ts";
import { raiseFacts } from "./raise-facts.ts";
import { valueFacts } from "./value-facts.ts";

/** The contract of `SharedValues`. */
export const valuesContract: PortContract<PortFixture<SharedValues>> = portContract("shared values", {
  ...counterFacts,
  ...raiseFacts,
  ...valueFacts,
  ...channelFacts,
  ...boundFacts,
});
