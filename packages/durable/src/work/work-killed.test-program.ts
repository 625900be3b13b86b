// One process of the test of killed workers; it has begun when it has written its first effect.
import { hasBegun, untilGo } from "@framework/warm-processes";
import { killedWorker } from "./killed-queue.test-kit.ts";

let effects = 0;
const { db, kernel } = killedWorker(process.env["DATABASE"] ?? "", () => effects++ === 0 && hasBegun());
await db.fetchValue("SELECT 1");
await untilGo();
await kernel.start();
