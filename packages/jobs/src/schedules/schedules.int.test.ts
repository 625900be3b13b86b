import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { scheduleFacts } from "./schedules.test-kit.ts";

withServer("postgres", (server) => scheduleFacts(test, () => databaseInSchema(server)));
