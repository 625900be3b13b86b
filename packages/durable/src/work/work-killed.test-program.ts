// One process of the test of killed workers.
import { untilGo } from "@framework/warm-processes";
import { killedWorker } from "./killed-queue.test-kit.ts";

const { db, kernel } = killedWorker(process.env["DATABASE"] ?? "");
await db.fetchValue("SELECT 1");
await untilGo();
await kernel.start();
