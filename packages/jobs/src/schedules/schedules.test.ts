import { databaseInFile } from "@framework/database/testing";
import { test } from "@jest/globals";
import { scheduleFacts } from "./schedules.test-kit.ts";

scheduleFacts(test, databaseInFile);
