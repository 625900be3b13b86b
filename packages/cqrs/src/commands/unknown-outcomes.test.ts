import { databaseInFile } from "@framework/database/testing";
import { test } from "@jest/globals";
import { unknownOutcomes } from "./unknown-outcomes.test-kit.ts";

unknownOutcomes(test, databaseInFile);
