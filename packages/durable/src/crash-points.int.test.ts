import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { crashPoints } from "./crash-points.test-kit.ts";
import { postgresSchema } from "./testing/open-databases.test-kit.ts";

// On one server: what statements do beside others is a matter of the tests of leases and lanes, which run on the newest one too.
withServer("postgres", (url) => crashPoints(test, () => postgresSchema(url)));
