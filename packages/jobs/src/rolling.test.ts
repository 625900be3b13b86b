import { databaseInFile } from "@framework/database/testing";
import { test } from "@jest/globals";
import { rollingReplacement } from "./rolling.test-kit.ts";

rollingReplacement(test, databaseInFile);
