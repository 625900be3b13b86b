import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { postgresSchema } from "../testing/open-databases.test-kit.ts";
import { queues } from "./queues.test-kit.ts";

withServer("postgres", (url) => queues(test, () => postgresSchema(url)));
