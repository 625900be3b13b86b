import { test } from "@jest/globals";
import { sqliteFile } from "../testing/open-databases.test-kit.ts";
import { parkedInOrder } from "./parked-in-order.test-kit.ts";

parkedInOrder(test, sqliteFile);
