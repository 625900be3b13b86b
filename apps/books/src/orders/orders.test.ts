import { databaseInFile } from "@framework/database/testing";
import { test } from "@jest/globals";
import { orderFacts } from "./order-facts.test-kit.ts";

orderFacts(test, databaseInFile);
