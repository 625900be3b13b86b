import { databaseInFile } from "@framework/database/testing";
import { test } from "@jest/globals";
import { storedResults } from "./stored-results.test-kit.ts";

storedResults(test, databaseInFile);
