import { bodyConformance } from "./bodies.ts";
import { closingConformance } from "./closing.ts";
import { fuzzConformance } from "./random-bytes.ts";
import { headConformance } from "./heads.ts";
import { persistenceConformance } from "./persistence.ts";
import { replyConformance } from "./replies.ts";
import { slowClientConformance } from "./slow-clients.ts";
import { upgradeConformance } from "./upgrades.ts";
import type { Test } from "../harness/test.ts";
import type { MakeTransport } from "../harness/test-server.ts";

/**
 * Declares the tests that every HTTP/1.1 transport passes: heads, bodies, persistence, replies, slow clients, closing, upgrades, random bytes.
 *
 * @param test the runner's `test`
 * @param make creates the transport under test
 */
export const transportConformance = (test: Test, make: MakeTransport): void => {
  headConformance(test, make);
  bodyConformance(test, make);
  persistenceConformance(test, make);
  replyConformance(test, make);
  slowClientConformance(test, make);
  closingConformance(test, make);
  upgradeConformance(test, make);
  fuzzConformance(test, make);
};
