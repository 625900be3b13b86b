import { databaseInFile } from "@framework/database/testing";
import { test } from "@jest/globals";
import { crashPointFacts } from "./crash-points.test-kit.ts";

crashPointFacts(test.concurrent, databaseInFile);
