import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { postgresSchema } from "../testing/open-databases.test-kit.ts";
import { killedWorkers } from "./work-killed.test-kit.ts";

withServer("postgres", (url) => killedWorkers(test, () => postgresSchema(url)));
