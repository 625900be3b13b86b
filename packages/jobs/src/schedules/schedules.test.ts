import { test } from "@jest/globals";
import { inFile } from "../testing/test-place.test-kit.ts";
import { scheduleFacts } from "./schedules.test-kit.ts";

scheduleFacts(test, inFile);
