import { databaseInFile } from "@framework/database/testing";
import { test } from "@jest/globals";
import { lendingFacts } from "./lending-facts.test-kit.ts";

lendingFacts(test, databaseInFile);
