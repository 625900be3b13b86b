import { subscribeEffects, TestApp } from "@framework/messaging/testing";
import { hasBegun, untilGo } from "@framework/warm-processes";
import { effectsFixture } from "./killed.test-kit.ts";

// A process whose handler inserts a row in the transaction of the inbox. It is killed before, during and after the acknowledgement.
const { ENDPOINT = "", PREFIX = "", DATABASE = "" } = process.env;
const app = new TestApp(effectsFixture(ENDPOINT, PREFIX, DATABASE));
subscribeEffects(app, "key", hasBegun);
await untilGo();
await app.start();
