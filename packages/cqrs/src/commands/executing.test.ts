import { test } from "@jest/globals";
import { inFile } from "../counters.test-kit.ts";
import { executing } from "./executing.test-kit.ts";

executing(test, inFile);
