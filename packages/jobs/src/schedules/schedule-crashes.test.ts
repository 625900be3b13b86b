import { databaseInFile } from "@framework/database/testing";
import { test } from "@jest/globals";
import { scheduleCrashes } from "./schedule-crashes.test-kit.ts";

scheduleCrashes(test, databaseInFile);
