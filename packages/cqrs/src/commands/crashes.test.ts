import { test } from "@jest/globals";
import { inFile } from "../counters.test-kit.ts";
import { crashes } from "./crashes.test-kit.ts";

crashes(test, inFile);
