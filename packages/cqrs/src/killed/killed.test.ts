import { databaseInFile } from "@framework/database/testing";
import { test } from "@jest/globals";
import { heldKeys } from "./held-keys.test-kit.ts";
import { killedProcesses } from "./killed.test-kit.ts";
import { rollingReplacement } from "./rolling.test-kit.ts";

killedProcesses(test, databaseInFile);
heldKeys(test, databaseInFile);
rollingReplacement(test, databaseInFile);
