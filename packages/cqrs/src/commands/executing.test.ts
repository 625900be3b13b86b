import { databaseInFile } from "@framework/database/testing";
import { test } from "@jest/globals";
import { executing } from "./executing.test-kit.ts";

executing(test, databaseInFile);
