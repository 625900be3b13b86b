import { test } from "@jest/globals";
import { takeovers } from "./takeover.test-kit.ts";
import { sqliteFile } from "./testing/open-databases.test-kit.ts";

takeovers(test, sqliteFile);
