import { watch } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sourceKind } from "./read-document.ts";

const POLL_MS = 2000;

/** Resolves when a file may have changed, or after two seconds for a URL; rejects when the signal aborts or the folder cannot be watched. */
export const awaitChange = async (source: string, signal: AbortSignal): Promise<void> => {
  if (sourceKind(source) === "url") return sleep(POLL_MS, undefined, { signal });
  const path = resolve(source);
  for await (const { filename } of watch(dirname(path), { signal }))
    // The folder is watched, because editors replace the file.
    if (filename === basename(path)) return;
};
