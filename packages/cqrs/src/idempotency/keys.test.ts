import { test } from "@jest/globals";
import { inFile } from "../counters.test-kit.ts";
import { keys } from "./keys.test-kit.ts";

keys(test, inFile);
