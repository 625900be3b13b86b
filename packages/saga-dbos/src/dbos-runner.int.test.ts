import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { dbosFacts } from "./dbos-runner.test-kit.ts";

withServer("postgres", (server) => dbosFacts(test, server));
