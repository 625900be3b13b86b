import { databaseInFile } from "@framework/database/testing";
import { test } from "@jest/globals";
import { failedClaimsFacts } from "./failed-claims.test-kit.ts";

failedClaimsFacts(test, databaseInFile);
