import { test } from "@jest/globals";
import { inFile } from "../counters.test-kit.ts";
import { queued } from "./queued.test-kit.ts";

queued(test, inFile);
