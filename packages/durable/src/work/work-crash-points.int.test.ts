import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { postgresSchema } from "../testing/open-databases.test-kit.ts";
import { workCrashPoints } from "./work-crash-points.test-kit.ts";

/** Every fifth statement by default, because a run of all takes minutes. The SQLite test crashes at every statement of the same operations. */
const STRIDE = Number(process.env["FRAMEWORK_CRASH_STRIDE"] ?? 5);

withServer("postgres", (url) => workCrashPoints(test, () => postgresSchema(url), STRIDE));
