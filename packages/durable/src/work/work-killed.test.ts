import { test } from "@jest/globals";
import { sqliteFile } from "../testing/open-databases.test-kit.ts";
import { killedWorkers } from "./work-killed.test-kit.ts";

killedWorkers(test, sqliteFile);
