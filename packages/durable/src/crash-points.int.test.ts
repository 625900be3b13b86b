import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { crashPoints } from "./crash-points.test-kit.ts";
import { postgresSchema } from "./testing/open-databases.test-kit.ts";

for (const server of ["postgres", "postgres-newest"])
  withServer(server, (url) => crashPoints(test, () => postgresSchema(url)));
