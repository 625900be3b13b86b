import { databaseInFile } from "@framework/database/testing";
import { test } from "@jest/globals";
import { attemptFacts } from "./attempts.test-kit.ts";

attemptFacts(test, databaseInFile);
