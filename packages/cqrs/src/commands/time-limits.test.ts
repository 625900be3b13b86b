import { test } from "@jest/globals";
import { inFile } from "../counters.test-kit.ts";
import { timeLimits } from "./time-limits.test-kit.ts";

timeLimits(test, inFile);
