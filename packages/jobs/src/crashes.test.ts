import { databaseInFile } from "@framework/database/testing";
import { test } from "@jest/globals";
import { crashFacts } from "./crashes.test-kit.ts";

crashFacts(test, databaseInFile);
