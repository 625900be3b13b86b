import { databaseInFile } from "@framework/database/testing";
import { test } from "@jest/globals";
import { crashes } from "./crashes.test-kit.ts";

crashes(test, databaseInFile);
