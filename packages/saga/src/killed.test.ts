import { databaseInFile } from "@framework/database/testing";
import { test } from "@jest/globals";
import { killFacts } from "./killed.test-kit.ts";

killFacts(test, databaseInFile);
