import { test } from "@jest/globals";
import { leasesAndLanes } from "./leases-and-lanes.test-kit.ts";
import { sqliteFile } from "./testing/open-databases.test-kit.ts";

leasesAndLanes(test, sqliteFile);
