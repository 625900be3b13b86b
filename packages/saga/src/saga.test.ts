import { databaseInFile } from "@framework/database/testing";
import { test } from "@jest/globals";
import { sagaFacts } from "./saga.test-kit.ts";

sagaFacts(test, databaseInFile);
