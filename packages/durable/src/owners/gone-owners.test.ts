import { test } from "@jest/globals";
import { sqliteFile } from "../testing/open-databases.test-kit.ts";
import { lateClaims } from "./gone-owners.test-kit.ts";

lateClaims(test, sqliteFile);
