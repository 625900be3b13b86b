import { test } from "@jest/globals";
import { crashFacts } from "./crashes.test-kit.ts";
import { inFile } from "./testing/test-place.test-kit.ts";

crashFacts(test, inFile);
