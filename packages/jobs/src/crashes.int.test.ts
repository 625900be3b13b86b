import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { crashFacts } from "./crashes.test-kit.ts";
import { inSchema } from "./testing/test-place.test-kit.ts";

withServer("postgres", (server) => crashFacts(test, () => inSchema(server)));
