import { test } from "@jest/globals";
import { sqliteFile } from "../testing/open-databases.test-kit.ts";
import { workCrashPoints } from "./work-crash-points.test-kit.ts";

workCrashPoints(test, sqliteFile, 1);
