import { type PortContract, portContract } from "@framework/core/testing";
import type { BrokerFixture } from "./harness/broker-fixture.ts";
import { handlingFacts } from "./handling-facts.ts";
import { orderingFacts } from "./ordering-facts.ts";
import { outboxFacts } from "./outbox-facts.ts";
import { parkedFacts } from "./parked-facts.ts";
import { requestFacts } from "./request-facts.ts";
import { retryFacts } from "./retry-facts.ts";
import { sendingFacts } from "./sending-facts.ts";
import { settlingFacts } from "./settling-facts.ts";
import { batchFacts } from "./batch-facts.ts";
import { deadLetterFacts } from "./dead-letter-facts.ts";
import { externalMessageFacts } from "./external-message-facts.ts";
import { inboxFacts } from "./inbox-facts.ts";
import { inboxAttemptsFacts } from "./inbox-attempts-facts.ts";
import { laneFacts } from "./lane-facts.ts";
import { lifecycleFacts } from "./lifecycle-facts.ts";
import { rateFacts } from "./rate-facts.ts";
import { stopFacts } from "./stop-facts.ts";

/**
 * Contract suite of brokers: tests of an adapter alone, and of an app that runs on it.
 *
 * For a capability that a broker lacks, a test checks the emulation, or returns at once.
 */
export const brokerContract: PortContract<BrokerFixture> = portContract("broker", {
  ...sendingFacts,
  ...orderingFacts,
  ...settlingFacts,
  ...lifecycleFacts,
  ...handlingFacts,
  ...deadLetterFacts,
  ...retryFacts,
  ...laneFacts,
  ...batchFacts,
  ...rateFacts,
  ...stopFacts,
  ...parkedFacts,
  ...inboxFacts,
  ...inboxAttemptsFacts,
  ...outboxFacts,
  ...externalMessageFacts,
  ...requestFacts,
});
