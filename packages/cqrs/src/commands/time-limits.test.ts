import { databaseInFile } from "@framework/database/testing";
import { test } from "@jest/globals";
import { timeLimits } from "./time-limits.test-kit.ts";

timeLimits(test, databaseInFile);
