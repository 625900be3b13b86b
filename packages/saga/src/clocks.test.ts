import { databaseInFile } from "@framework/database/testing";
import { test } from "@jest/globals";
import { clockFacts } from "./clocks.test-kit.ts";

clockFacts(test, databaseInFile);
