import { createRequire } from "node:module";
import { patchFailedSync } from "./patch-failed-sync.ts";
import { patchRequestTimer } from "./patch-request-timer.ts";
import { registerCodecs } from "./codecs.ts";

/** The module `kafkajs`. */
export type Kafkajs = typeof import("kafkajs");

let loaded: Kafkajs | undefined;

/** Loads kafkajs on first use, with its faults patched, so that apps that never use Kafka do not pay for it. */
export const kafkajs = (): Kafkajs => {
  if (loaded !== undefined) return loaded;
  const require = createRequire(import.meta.url);
  patchRequestTimer(require);
  patchFailedSync(require);
  loaded = require("kafkajs") as Kafkajs;
  registerCodecs(loaded);
  return loaded;
};
