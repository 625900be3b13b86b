import { test } from "@jest/globals";
import { crashFacts } from "./crashes.test-kit.ts";
import { inMemory } from "./testing/in-memory.test-kit.ts";

crashFacts(test, inMemory);
