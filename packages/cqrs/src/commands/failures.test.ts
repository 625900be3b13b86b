import { databaseInFile } from "@framework/database/testing";
import { test } from "@jest/globals";
import { failures } from "./failures.test-kit.ts";

failures(test, databaseInFile);
