import { databaseInFile } from "@framework/database/testing";
import { test } from "@jest/globals";
import { queued } from "./queued.test-kit.ts";

queued(test, databaseInFile);
