import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { crashPoints } from "./crash-points.test-kit.ts";
import { postgresSchema } from "./testing/open-databases.test-kit.ts";

// On one server version only: the tests of leases and lanes cover concurrency, and also run on the newest version.
withServer("postgres", (url) => crashPoints(test, () => postgresSchema(url)));
