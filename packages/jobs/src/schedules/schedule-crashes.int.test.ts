import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { scheduleCrashes } from "./schedule-crashes.test-kit.ts";

withServer("postgres", (server) => scheduleCrashes(test, () => databaseInSchema(server)));
