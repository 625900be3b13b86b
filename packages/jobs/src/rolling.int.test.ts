import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { rollingReplacement } from "./rolling.test-kit.ts";

withServer("postgres", (server) => rollingReplacement(test, () => databaseInSchema(server)));
