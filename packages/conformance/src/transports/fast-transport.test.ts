import { test } from "@jest/globals";
import { createFastTransport } from "@framework/core/testing";
import { transportConformance } from "../suite/transport-conformance.ts";

transportConformance(test, createFastTransport);
