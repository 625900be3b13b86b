import { databaseInFile } from "@framework/database/testing";
import { test } from "@jest/globals";
import { heldRouteKeys } from "./held-route-keys.test-kit.ts";

heldRouteKeys(test, databaseInFile);
