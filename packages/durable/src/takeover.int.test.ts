import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { takeovers } from "./takeover.test-kit.ts";
import { postgresSchema } from "./testing/open-databases.test-kit.ts";

withServer("postgres", (url) => takeovers(test, () => postgresSchema(url)));
