import { test } from "@jest/globals";
import { crashPoints } from "./crash-points.test-kit.ts";
import { sqliteFile } from "./testing/open-databases.test-kit.ts";

crashPoints(test, sqliteFile);
