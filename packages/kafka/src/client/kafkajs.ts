import { createRequire } from "node:module";
import { patchFailedSync } from "./patch-failed-sync.ts";
import { patchRequestTimer } from "./patch-request-timer.ts";
import { registerCodecs } from "./codecs.ts";

/** The module `kafkajs`. */
export type Kafkajs = typeof import("kafkajs");

let loaded: Kafkajs | undefined;

/** Loads and patches kafkajs on first use, so that apps without Kafka do not load it. */
export const kafkajs = (): Kafkajs => {
  if (loaded !== undefined) return loaded;
  const require = createRequire(import.meta.url);
  patchRequestTimer(require);
  patchFailedSync(require);
  loaded = require("kafkajs") as Kafkajs;
  registerCodecs(loaded);
  return loaded;
};
