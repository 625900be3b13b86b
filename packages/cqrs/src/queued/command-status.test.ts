import { databaseInFile } from "@framework/database/testing";
import { test } from "@jest/globals";
import { commandStatus } from "./command-status.test-kit.ts";

commandStatus(test, databaseInFile);
