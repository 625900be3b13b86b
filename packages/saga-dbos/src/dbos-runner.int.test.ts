import { withServer } from "@framework/services";
import { afterAll, test } from "@jest/globals";
import { dbosFacts } from "./dbos-runner.test-kit.ts";
import { deletedFacts } from "./deleted-sagas.test-kit.ts";
import { lostProcessFacts } from "./lost-processes.test-kit.ts";
import { messageFacts } from "./messages.test-kit.ts";
import { outageFacts } from "./outage.test-kit.ts";
import { dbosFixtures } from "./testing/dbos-fixture.test-kit.ts";
import { factsOf } from "./testing/fact.test-kit.ts";

withServer("postgres", (server) => {
  const fixtures = dbosFixtures(server);
  afterAll(async () => {
    await fixtures[Symbol.asyncDispose]();
  });
  const fact = factsOf(test, fixtures);
  dbosFacts(fact);
  deletedFacts(fact);
  lostProcessFacts(fact);
  messageFacts(fact);
  outageFacts(fact);
});
