import { databaseInFile } from "@framework/database/testing";
import { test } from "@jest/globals";
import { keys } from "./keys.test-kit.ts";

keys(test, databaseInFile);
