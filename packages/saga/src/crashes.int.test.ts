import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { crashFacts } from "./crashes.test-kit.ts";

/** Every seventh statement by default, because all statements take minutes. On SQLite the same saga crashes at every statement. */
const stride = Number(process.env["FRAMEWORK_CRASH_STRIDE"] ?? 7);

withServer("postgres", (server) => crashFacts(test, () => databaseInSchema(server), { stride }));
