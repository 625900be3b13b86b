import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { crashPointFacts } from "./crash-points.test-kit.ts";

/** Every third statement by default; SQLite dies at every one, with the same steps. */
const stride = Number(process.env["FRAMEWORK_CRASH_STRIDE"] ?? 3);

withServer("postgres", (server) => crashPointFacts(test.concurrent, () => databaseInSchema(server), stride));
