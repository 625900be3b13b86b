import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { inSchema } from "../testing/test-place.test-kit.ts";
import { scheduleFacts } from "./schedules.test-kit.ts";

withServer("postgres", (server) => scheduleFacts(test, () => inSchema(server)));
