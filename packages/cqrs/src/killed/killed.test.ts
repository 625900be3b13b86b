import { databaseInFile } from "@framework/database/testing";
import { test } from "@jest/globals";
import { killedProcesses } from "./killed.test-kit.ts";

killedProcesses(test, databaseInFile);
