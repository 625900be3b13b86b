import { test } from "@jest/globals";
import { sqliteFile } from "../testing/open-databases.test-kit.ts";
import { queues } from "./queues.test-kit.ts";

queues(test, sqliteFile);
