import { databaseInFile } from "@framework/database/testing";
import { test } from "@jest/globals";
import { keptResults } from "./kept-results.test-kit.ts";

keptResults(test, databaseInFile);
