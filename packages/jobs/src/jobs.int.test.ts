import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { jobFacts } from "./jobs.test-kit.ts";
import { inSchema } from "./testing/test-place.test-kit.ts";

withServer("postgres", (server) => jobFacts(test, () => inSchema(server)));
